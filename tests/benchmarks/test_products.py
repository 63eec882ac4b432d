"""Tests of the benchmark of products: its program, its output and its tables."""

from __future__ import annotations

import importlib.metadata
import subprocess
from functools import cache
from pathlib import Path
from types import SimpleNamespace

import pytest

from benchmarks.matrix import products, products_table
from benchmarks.matrix.products_table import Candidate, Counted, Shape, Timing
from tfcarve.errors import InvalidInput

_SHAPES = (Shape(10, 20, 1000), Shape(1, 5, 7))
_TFCARVE, _OTHER = Candidate("tfcarve", 4000), Candidate("other", 500)

# A library whose product omits the last `LESS` terms of each sum and the last `UNWRITTEN` rows.
_LIBRARY = """
#include "benchmarks/matrix/products.h"
#include <cstring>
bool Supports(const char* path) { return std::strcmp(path, "plain") == 0; }
std::size_t PackedSize(const char*, const Product&) { return 3; }
void Pack(const char*, const Product&, Operand* packed) { packed[2] = 1; }
void Multiply(const char*, const Product& p, const Operand* packed) {
  for (std::ptrdiff_t i = 0; i < p.rows - UNWRITTEN; ++i) {
    for (std::ptrdiff_t j = 0; j < p.columns; ++j) {
      Sum sum = 0;
      for (std::ptrdiff_t k = 0; k < p.depth - LESS; ++k) {
        sum += (p.left[i * p.depth + k] - kLeftZero) *
               (p.right[k * p.columns + j] - kRightZero);
      }
      p.out[i * p.columns + j] = sum * packed[2];
    }
  }
}
"""


# Products of floats and of bytes.
_KINDS = ("-DFLOATS", "-DTFCARVE_BYTES")


@cache
def _program(folder: Path, kind: str) -> Path:
    path = folder / f"products{kind}"
    options = ["-std=c++17", "-O1", kind, f"-I{products.ROOT}", "-ldl", "-o", path]
    subprocess.run(["g++", products.HERE / "products.cc", *options], check=True)
    return path


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("program")


@pytest.fixture
def program(folder: Path) -> Path:
    """products.cc, compiled for floats."""
    return _program(folder, _KINDS[0])


def _run(program: Path, folder: Path, path: str, *macros: str) -> str:
    source, library = folder / "plain.cc", folder / "plain.so"
    source.write_text(_LIBRARY)
    options = ["-std=c++17", "-shared", "-fPIC", f"-I{products.ROOT}", "-o", library]
    subprocess.run(["g++", source, *macros, *options], check=True)
    argv = [program, "2", "1", *map(str, _SHAPES), "--", library, path]
    return subprocess.run(argv, check=True, text=True, stdout=subprocess.PIPE).stdout


@pytest.mark.parametrize(("kind", "packed"), [(_KINDS[0], 12), (_KINDS[1], 3)])
def test_correct_product(folder: Path, tmp_path: Path, kind: str, packed: int) -> None:
    macros = ("-DLESS=0", "-DUNWRITTEN=0", kind)
    output = _run(_program(folder, kind), tmp_path, "plain", *macros)
    times = products_table.parse(output, _SHAPES, [_TFCARVE])
    assert [timing.packed for timing in times[_TFCARVE]] == [packed, packed]
    assert all(timing.seconds > 0 for timing in times[_TFCARVE])
    products_table.check(times, _SHAPES)


@pytest.mark.parametrize("kind", _KINDS)
@pytest.mark.parametrize("macros", [("-DLESS=1", "-DUNWRITTEN=0"), ("-DLESS=0", "-DUNWRITTEN=1")])
def test_wrong_product(folder: Path, tmp_path: Path, kind: str, macros: tuple[str, ...]) -> None:
    output = _run(_program(folder, kind), tmp_path, "plain", *macros, kind)
    times = products_table.parse(output, _SHAPES, [_TFCARVE])
    with pytest.raises(
        products_table.WrongProduct, match="tfcarve, 10x20x1000: .*; tfcarve, 1x5x7: "
    ):
        products_table.check(times, _SHAPES)


def test_unsupported_path(program: Path, tmp_path: Path) -> None:
    output = _run(program, tmp_path, "other", "-DLESS=0", "-DUNWRITTEN=0")
    assert output == "0 0 unsupported\n1 0 unsupported\n"
    assert products_table.parse(output, _SHAPES, [_TFCARVE]) == {}


@pytest.mark.parametrize(
    ("argv", "message"),
    [
        (["0", "1", "1x1x1", "--", "x.so", "p"], "rounds and packs are at least 1"),
        (["1", "1", "1x1", "--"], "not a shape: 1x1"),
        (["1", "1", "1x1x1", "--", "/no/x.so", "p"], "/no/x.so"),
        (["1", "1", "1x1x1", "--", "x.so"], "see products.cc"),
    ],
)
def test_bad_arguments(program: Path, argv: list[str], message: str) -> None:
    done = subprocess.run([program, *argv], text=True, stderr=subprocess.PIPE)
    assert done.returncode == 2
    assert message in done.stderr


def test_missing_line() -> None:
    with pytest.raises(ValueError, match="expected 2 x 1 lines, not 1"):
        products_table.parse("0 0 1 1 0 0\n", _SHAPES, [_TFCARVE])


def test_error_that_is_nan() -> None:
    with pytest.raises(products_table.WrongProduct):
        products_table.check({_TFCARVE: [Timing(1, 0, 0, float("nan"))]}, _SHAPES[:1])


def test_times_table() -> None:
    times = {
        _TFCARVE: [Timing(1e-5, 1e-9, 0, 0), Timing(1e-6, 1e-9, 0, 0)],
        _OTHER: [Timing(2e-5, 2e-5, 64, 0), Timing(1e-6, 3e-6, 64, 0)],
    }
    _, _, tfcarve, other = products_table.times_table(times, _SHAPES).splitlines()
    # 400,000 and 70 operations; packing within a product is part of its time.
    assert tfcarve == "| tfcarve | 40.0 | 0.1 | 36.4 | 36.4 | 4,000 | 9.1 |"
    assert other == "| other | 20.0 | 0.1 | 19.1 | 9.1 | 500 | 38.1 |"


def test_counts_table() -> None:
    counts = {_OTHER: [Counted(75_000, 50_000), Counted(18, 0)]}
    *_, line = products_table.counts_table(counts, _SHAPES, 4).splitlines()
    assert line == "| other | 1.50 | 2.00 | 1.50 | 2.50 | 500 |"


def test_copts() -> None:
    text = 'load("x", "D")\nvisibility("public")\nA = ["-" + d for d in D]\nB = A + [Label("//:x").workspace_root]\n'
    values = products.starlark_values(text, D=["O2"])
    assert values["B"] == ["-O2", "external"]


def test_code_bytes(tmp_path: Path) -> None:
    source, file = tmp_path / "x.c", tmp_path / "x.o"
    source.write_text(
        "int one(int x) { return x + 1; }\nint two(int x) { return x * 7; }\nint data[100] = {1};\n"
    )
    subprocess.run(["gcc", "-Os", "-ffunction-sections", "-c", source, "-o", file], check=True)
    whole = products.code_bytes(file)
    assert 0 < products.code_bytes(file, r"\.text\.one$") < whole < 100
    assert products.code_bytes(file, "three") == 0


@pytest.mark.parametrize("version", ["2.15.0", None])
def test_missing_tensorflow(monkeypatch: pytest.MonkeyPatch, version: str | None) -> None:
    def found(name: str) -> SimpleNamespace:
        if version is None:
            raise importlib.metadata.PackageNotFoundError(name)
        return SimpleNamespace(version=version, locate_file=Path)

    monkeypatch.setattr(importlib.metadata, "distribution", found)
    with pytest.raises(InvalidInput, match=r"tensorflow-cpu 2\.14\.1 is required"):
        products.tensorflow_folder()


def test_names_of_micro_kernels() -> None:
    kernel = products.X86_64.xnnpack[0]
    assert kernel.names()[0] == "f32-gemm-4x8-minmax-sse-load1"
    assert kernel.functions()[1] == "xnn_f32_gemm_minmax_ukernel_1x8__sse_load1"
