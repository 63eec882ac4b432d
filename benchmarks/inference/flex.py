"""Size, speed and memory of carved Flex delegates, compared with TensorFlow Lite's own.

    PYTHONPATH=tools:tests:. python -m benchmarks.inference.flex -o benchmarks/results/FLEX.md

Run it in the repository's folder, with the Python environment of the tests (third_party/python/dev.txt). The rules build each
delegate in a copy of tests/e2e/bzlmod; this takes a few minutes if TensorFlow's core is already built.
"""

from __future__ import annotations

import argparse
import math
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import numpy as np

from benchmarks import measure, page, workspaces
from bootstrap.console import BootstrapError
from demo.nested import NestedError
from flex import flex_models
from flex.interpreters import FULL, PLAIN
from tfcarve import files
from tfcarve.app.workspace import BuildError, Workspace
from tfcarve.errors import TfcarveError
from tfcarve.releases import known

_COMMAND = (
    "PYTHONPATH=tools:tests:. python -m benchmarks.inference.flex -o benchmarks/results/FLEX.md"
)
_HERE = Path(__file__).parent
PACKAGE = "flex_benchmark"
PLATFORMS = ("linux_x86_64", "linux_arm64")
ALL = "all_models"
_LIBRARY = "libtensorflowlite_flex.so"
# The app with an AAR of the delegate of a model, and the copy of it that tests/full/test_whole.py builds.
_ANDROID_APP, _ANDROID_WORKSPACE = "tests/full/app", "full"
_ANDROID_MODEL = "audio_front_end"
# The models, and the signature of those that have several.
_TIMED = {
    "one_op": "",
    "audio_front_end": "",
    "lstm": "",
    "words": "",
    "lookup": "",
    "branches": "",
    "trained": "train",
}
# The interpreter with the carved delegate, of the same release as the reference.
_CARVED = "tflite_runtime"
_PROCESSES, _ROUNDS = 5, 300


def _library(workspace: Workspace, name: str, platform: str) -> Path:
    target = f"//{PACKAGE}:{platform}_{name}"
    built = workspace.build([target], [f"--output_groups={platform}", "--norun_validations"])
    return built.named(target, platform)[_LIBRARY]


def _archive_size(folder: Path) -> int:
    """Returns the bytes of the AAR for arm64 with the delegate of _ANDROID_MODEL."""
    target, file = "//flex:android", f"{_ANDROID_MODEL}.tflite"
    with workspaces.opened(_ANDROID_WORKSPACE, _ANDROID_APP) as workspace:
        workspace.place("flex", {file: folder / file}, "*.tflite")
        (archive,) = workspace.build([target]).files(target)
        return archive.stat().st_size


def _inputs(model: str, folder: Path) -> Path:
    """Writes the inputs of a model, or those of the first step of its signature."""
    found, signature = flex_models.inputs(model), _TIMED[model]
    if signature:
        first = min(int(key.partition("/")[0]) for key in found if f"/{signature}/" in key)
        found = {k: a for k, a in found.items() if k.startswith(f"{first}/{signature}/")}
    path = folder / f"{model}.npz"
    np.savez(path, **found)
    return path


def _times(model: Path, delegate: Path, folder: Path) -> tuple[float, float]:
    """Returns the CPU milliseconds of an inference with TensorFlow's delegate and with the carved one."""
    inputs = _inputs(model.stem, folder)
    best = dict.fromkeys((FULL, _CARVED), math.inf)
    for _ in range(_PROCESSES):
        for package in best:
            library = "-" if package == FULL else delegate
            words = [package, library, model, inputs, str(_ROUNDS)]
            done = subprocess.run(
                [sys.executable, _HERE / "flex_rounds.py", *words],
                check=True,
                capture_output=True,
                text=True,
            )
            best[package] = min(best[package], float(done.stdout.splitlines()[-1]))
    return best[FULL], best[_CARVED]


def _peaks(model: Path, delegate: Path, folder: Path) -> Iterator[int]:
    """Yields the peak memory of a process that runs the model once: TensorFlow's interpreter, then each of PLAIN."""
    program = _HERE.parents[1] / "tests" / "flex" / "flex_run.py"
    inputs, outputs = _inputs(model.stem, folder), folder / "outputs.npz"
    for package in (FULL, *PLAIN):
        library = "-" if package == FULL else str(delegate)
        words = [package, library, model, inputs, outputs]
        yield measure.run([sys.executable, str(program), *map(str, words)]).peak


def _size_table(sizes: Mapping[tuple[str, str], int]) -> str:
    names = dict.fromkeys(name for name, _ in sizes)
    rows = [[name, *(f"{sizes[name, platform]:,}" for platform in PLATFORMS)] for name in names]
    return measure.markdown(["Models", *PLATFORMS], rows)


def _measured(workspace: Workspace, folder: Path) -> Iterator[str]:
    """Yields the tables."""
    flex_models.write(folder)
    models = {file.name: file for file in folder.glob("*.tflite")}
    workspace.place(PACKAGE, {"BUILD": _HERE / "flex.BUILD"}, "BUILD")
    workspace.place(PACKAGE, models, "*.tflite")
    sizes = {
        (name, platform): _library(workspace, name, platform).stat().st_size
        for name in (*flex_models.MAKERS, ALL)
        for platform in PLATFORMS
    }
    yield "Bytes of the stripped delegate:\n"
    yield _size_table(sizes)
    yield (
        f"\nThe AAR for Android, arm64, with the delegate of {_ANDROID_MODEL}: {_archive_size(folder):,} bytes. TensorFlow Lite's "
        "page on the size of its library has 2,298,630 bytes for SPICE, another audio model."
    )
    delegate = _library(workspace, ALL, "linux_x86_64")
    times, peaks = [], []
    for name, signature in _TIMED.items():
        title = f"{name}, signature {signature}" if signature else name
        model = folder / f"{name}.tflite"
        full, carved = _times(model, delegate, folder)
        times.append([title, f"{1e3 * full:,.2f}", f"{1e3 * carved:,.2f}", f"{carved / full:.2f}"])
        found = list(_peaks(model, delegate, folder))
        ratios = [f"{peak / 1e6:,.0f} MB ({peak / found[0]:.2f})" for peak in found[1:]]
        peaks.append([title, f"{found[0] / 1e6:,.0f} MB", *ratios])
    yield (
        f"\nCPU microseconds of one inference on one thread, the fastest of {_PROCESSES} processes in turns with {_ROUNDS} "
        f"rounds of 20 inferences each; the carved delegate of all models runs in tflite-runtime {known.release().name}.0:\n"
    )
    yield measure.markdown(["Model", "TensorFlow's delegate", "carved", "ratio"], times)
    yield (
        "\nPeak memory of a Python process that runs the model once: TensorFlow with its delegate, and interpreters without "
        "TensorFlow with the carved delegate of all models (in brackets the ratio):\n"
    )
    yield measure.markdown(["Model", FULL, *PLAIN], peaks)


def main(argv: Sequence[str]) -> int:
    """Returns the exit status: 0, or 2 if a build fails."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.inference.flex", description=__doc__
    )
    parser.add_argument("-o", "--output", type=Path, required=True, metavar="FILE")
    arguments = parser.parse_args(argv)
    head = page.head("Flex delegates", _COMMAND, measure.machine())
    try:
        with tempfile.TemporaryDirectory() as scratch, workspaces.opened("flex") as workspace:
            tables = list(_measured(workspace, Path(scratch)))
    except (BootstrapError, BuildError, NestedError, TfcarveError) as error:
        print(f"flex: {error}", file=sys.stderr)
        return 2
    except subprocess.CalledProcessError as error:
        print(f"flex: {error}: {error.stderr}", file=sys.stderr)
        return 2
    files.write_if_changed(arguments.output, "\n".join((head, *tables, "")).encode())
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
