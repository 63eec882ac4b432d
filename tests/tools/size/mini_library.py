"""A small library, built as tf_mobile_library builds libraries: from units and a core, with lld and strip."""

import json
import shutil
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pytest

from tfcarve.emit import units
from tfcarve.objfile.linked_elf import LinkedElf
from tfcarve.registry.index import TensorflowFacts
from tfcarve.releases import known
from tfcarve.selection.need import Need
from tfcarve.selection.selection import (
    ModelFacts,
    SelectedKernel,
    SelectedOp,
    Selection,
)
from tfcarve.size import attribute, link_line, link_map
from tfcarve.size.origin import CORE, Origins, generated_sources
from tfcarve.size.report import Report

MINI = Path(__file__).parent / "mini"
SHIMS = Path(__file__).parents[3] / "tools" / "runtime" / "shims"
_COPTS = (
    "-std=c++17", "-Os", "-DNDEBUG", "-fPIC", "-ffunction-sections", "-fdata-sections",
    "-fno-exceptions", "-fno-rtti", "-fno-asynchronous-unwind-tables", "-fvisibility=hidden", "-w",
)  # fmt: skip
RELU, TABLE, OPS = "kernels/relu_op.cc", "kernels/table_op.cc", "ops/mini_ops.cc"
FLOAT, DOUBLE = "ReluOp<CPUDevice, float>", "ReluOp<CPUDevice, double>"


def _kernel(op: str, clazz: str, file: str, dtype: str, *models: str) -> SelectedKernel:
    types = {"T": (dtype,)} if dtype else {}
    return SelectedKernel(
        op=op, clazz=clazz, file=file, constraints=types, needed_by=_needs(op, models)
    )


def _needs(op: str, models: Sequence[str]) -> tuple[Need, ...]:
    return tuple(Need(model, op.lower()) for model in models)


def selection(*, double: bool = False, table: bool = True) -> Selection:
    """A selection in which a.pb needs Relu for float; with `double`, b.pb needs it for double; with `table`, b.pb needs Table."""
    kernels = [_kernel("Relu", FLOAT, RELU, "float32", "a.pb")]
    if double:
        kernels.append(_kernel("Relu", DOUBLE, RELU, "float64", "b.pb"))
    ops = [
        SelectedOp(
            name="Relu", file=OPS, needed_by=_needs("Relu", ["a.pb", *(["b.pb"] if double else [])])
        )
    ]
    if table:
        kernels.append(_kernel("Table", "TableOp", TABLE, "", "b.pb"))
        ops.append(SelectedOp(name="Table", file=OPS, needed_by=_needs("Table", ["b.pb"])))
    files = tuple(sorted({k.file for k in kernels} | {OPS}))
    models = tuple(ModelFacts(m, "00", "graph_def") for m in ("a.pb", "b.pb"))
    facts = TensorflowFacts("9.8.7", "ab", ())
    return Selection(facts, models, tuple(ops), tuple(kernels), files)


@cache
def linker() -> str:
    """The newest lld that is installed."""
    names = ["ld.lld", *(f"ld.lld-{version}" for version in range(25, 12, -1))]
    found = next((p for name in names if (p := shutil.which(name))), None)
    if found is None:
        pytest.skip("no lld on PATH. Try: sudo apt-get install lld-19")
    return found


@dataclass(frozen=True)
class Built:
    """A library, its map and its link.json."""

    folder: Path
    selection: Selection
    unstripped: Path
    library: Path
    map: Path
    link: Path

    def line(self) -> link_line.LinkLine:
        return link_line.load(self.link, self.folder)

    def origins(self) -> Origins:
        sources = generated_sources(self.selection, known.release())
        return Origins(self.line().libraries, sources)

    def report(self, platform: str = "linux_x86_64") -> Report:
        data = self.library.read_bytes()
        line = self.line()
        text = self.map.read_text()
        return attribute.report(
            platform,
            data,
            LinkedElf(data, "lib"),
            link_map.parse(text, "map"),
            line.objects(),
            self.selection,
            self.origins(),
        )


def _run(*argv: str, cwd: Path) -> None:
    done = subprocess.run(argv, cwd=cwd, text=True, capture_output=True, check=False)
    assert done.returncode == 0, done.stderr


def build(folder: Path, selected: Selection, *, ld: str = "lld") -> Built:
    """Builds the library of a selection in `folder`, linked by lld, bfd (GNU ld) or gold."""
    for name in ("units", "objects", "tools"):
        (folder / name).mkdir(parents=True)
    compiler = ["g++", *_COPTS, f"-I{MINI}", f"-I{SHIMS}"]
    objects = []
    for name, text in units.units(selected).items():
        (folder / "units" / name).write_bytes(text)
        objects.append(f"objects/{name.removesuffix('.cc')}.pic.o")
        _run(*compiler, "-c", f"units/{name}", "-o", objects[-1], cwd=folder)
    _run(*compiler, "-c", str(MINI / "core.cc"), "-o", "objects/core.pic.o", cwd=folder)
    _run("ar", "qcsD", "libunits.a", *objects, cwd=folder)
    _run("ar", "qcsD", "libcore.a", "objects/core.pic.o", cwd=folder)
    # -fuse-ld=lld searches ld.lld in the folders of -B.
    by = ["-Btools", f"-fuse-ld={ld}", *(["-Wl,--icf=all"] if ld == "lld" else [])]
    if ld == "lld":
        (folder / "tools" / "ld.lld").symlink_to(linker())
    whole = ["-Wl,--whole-archive", "libunits.a", "libcore.a", "-Wl,--no-whole-archive"]
    flags = ["-shared", "-nostartfiles", "-Wl,--gc-sections", "-Wl,-Map=library.map"]
    link = ["g++", *by, *flags, "-o", "unstripped.so", *whole]
    _run(*link, cwd=folder)
    _run("strip", "--strip-all", "-o", "library.so", "unstripped.so", cwd=folder)
    document = {
        "version": link_line.VERSION,
        "platform": "linux_x86_64",
        "link": {
            "argv": [a for a in link if not a.startswith("-Wl,-Map")],
            "output": "unstripped.so",
            "source": "libunits.a",
        },
        "strip": {
            "argv": ["strip", "--strip-all", "-o", "STRIPPED", "LIBRARY"],
            "output": "STRIPPED",
            "source": "LIBRARY",
        },
        "compile": {
            "argv": [*compiler, "-c", "UNIT", "-o", "OBJECT"],
            "output": "OBJECT",
            "source": "UNIT",
        },
        "hot_compile": {
            "argv": [*compiler, "-O2", "-c", "UNIT", "-o", "OBJECT"],
            "output": "OBJECT",
            "source": "UNIT",
        },
        "libraries": [
            {"path": "libunits.a", "name": "library", "part": None},
            {"path": "libcore.a", "name": "core", "part": CORE},
        ],
    }
    (folder / "link.json").write_text(json.dumps(document))
    return Built(
        folder,
        selected,
        folder / "unstripped.so",
        folder / "library.so",
        folder / "library.map",
        folder / "link.json",
    )


def build_macho(folder: Path) -> tuple[Path, Path]:
    """A library for iOS with a table of 20,000 bytes, linked by ld64.lld; returns it and its map."""
    clang = next((c for c in ("clang", "clang-19") if shutil.which(c)), None)
    ld64 = next((x for x in ("ld64.lld", "ld64.lld-19") if shutil.which(x)), None)
    if clang is None or ld64 is None:
        pytest.skip("no clang and ld64.lld on PATH. Try: sudo apt-get install clang-19 lld-19")
    text = "const unsigned char table[20000] = {1};\nint get(int i) { return table[i]; }\n"
    (folder / "table.c").write_text(text)
    _run(clang, "--target=arm64-apple-ios13.0", "-c", "table.c", "-o", "table.o", cwd=folder)
    link = [ld64, "-arch", "arm64", "-platform_version", "ios", "13.0", "13.0", "-dylib"]
    link += ["-undefined", "dynamic_lookup", "-map", "map", "-o", "table.dylib", "table.o"]
    _run(*link, cwd=folder)
    return folder / "table.dylib", folder / "map"
