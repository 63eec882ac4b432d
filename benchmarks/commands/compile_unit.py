"""Compiles one kernel source as a unit with the classes that Inception v3 needs, and as a whole."""

import importlib.util
import subprocess
import sys
from pathlib import Path

from benchmarks.measure import Row, run, seconds, size, times_less
from tfcarve.releases import known

_SOURCE = "tensorflow/core/kernels/relu_op.cc"
_FLAGS = [
    "-std=c++17", "-Os", "-w", "-fPIC", "-ffunction-sections", "-fdata-sections", "-fno-exceptions",
    "-fno-asynchronous-unwind-tables", "-fvisibility=hidden", "-fvisibility-inlines-hidden",
    "-include", "tensorflow_headers.h",
]  # fmt: skip
_REPOSITORY = Path(__file__).parents[2]


def _wheel_headers() -> Path:
    """Returns the headers of the tensorflow-cpu wheel: Eigen, protobuf and those that TensorFlow's build generates."""
    spec = importlib.util.find_spec("tensorflow")
    if spec is None or spec.origin is None:
        raise SystemExit("tensorflow-cpu is not installed; its headers are required")
    return Path(spec.origin).parent / "include"


def rows(tree: Path, scratch: Path) -> list[Row]:
    """Measures, with the selection.json in `scratch`."""
    units = scratch / "units"
    subprocess.run(
        [
            sys.executable,
            "-m",
            "tfcarve",
            "units",
            str(scratch / "selection.json"),
            "--units",
            str(units),
        ],
        check=True,
    )
    includes = [f"-I{tree}", f"-I{_REPOSITORY / 'tools/runtime/shims'}", f"-I{_wheel_headers()}"]
    defines = [f"-D{d}" for d in known.release().defines]
    unselective = [d for d in defines if "SELECTIVE_REGISTRATION" not in d]
    results = []
    for name, source, flags in (
        ("unit", units / _SOURCE.replace("/", "__"), defines),
        ("whole", tree / _SOURCE, [*unselective, "-DSUPPORT_SELECTIVE_REGISTRATION"]),
    ):
        out = scratch / f"{name}.o"
        usage = run(["g++", *_FLAGS, *flags, *includes, "-c", str(source), "-o", str(out)])
        sections = (
            subprocess.run(["size", str(out)], capture_output=True, text=True, check=True)
            .stdout.splitlines()[1]
            .split()
        )
        results.append((usage, int(sections[0]) + int(sections[1])))
    (unit, unit_size), (whole_source, whole_size) = results
    return [
        Row("relu_op.cc as a unit (reference: the whole source), compile time", seconds(unit.wall), seconds(whole_source.wall), times_less(unit.wall, whole_source.wall)),
        Row("the same, code and data in the object", size(unit_size), size(whole_size), times_less(unit_size, whole_size)),
    ]  # fmt: skip
