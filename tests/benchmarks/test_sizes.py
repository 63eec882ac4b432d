"""The benchmark of sizes: what it reads, builds and says."""

from __future__ import annotations

import gzip
import subprocess
from pathlib import Path

import pytest
from selections import selection

from benchmarks.size import sizes
from benchmarks.size.size_table import Measured, Variant
from demo.nested import NestedError

_SELECTION = selection(
    [("Relu", "ReluOp<float>", "a.cc"), ("Relu", "ReluOp<double>", "a.cc")], [("Relu", "ops.cc")]
)
# The sections of tools/runtime/shims/registration_table.h.
_UNIT = r"""
#define RECORD(name, where, text) __attribute__((used, section(where))) char name[] = text;
RECORD(a, "tfcarve_table", "kernel\x1f\"Relu\"\x1f" "false\x1fReluOp<float>")
RECORD(b, ".tfcarve.refused", "kernel\x1f\"Relu\"\x1f" "false\x1fReluOp<float>")
RECORD(c, ".tfcarve.refused", "kernel\x1f\"Relu\"\x1f" "false\x1fReluOp<double>")
RECORD(d, ".tfcarve.refused", "kernel\x1f\"Relu6\"\x1f" "false\x1fRelu6Op<float>")
RECORD(e, ".tfcarve.refused", "op\x1f\"Relu6\"\x1f" "false")
"""


def _measured(*files: Path) -> Measured:
    return sizes.measured(files, "lstm", "linux_arm64", Variant.WHOLE, _SELECTION)


def _units(folder: Path) -> Path:
    """An object as a unit of relu_op.cc leaves it: one kernel registered, it and three more refused."""
    source, units = folder / "unit.cc", folder / "libtensorflow-registrations.a"
    source.write_text(_UNIT)
    subprocess.run(["g++", "-c", source, "-o", units], check=True)
    return units


def test_library_is_measured(tmp_path: Path) -> None:
    library, other = tmp_path / "libtensorflow-core.so", tmp_path / "libtensorflow-core.a"
    library.write_bytes(b"tensor" * 1000)
    other.write_bytes(b"flow")
    row = _measured(other, library, _units(tmp_path))
    assert (row.stripped, row.sources, row.kernels, row.left_out) == (6000, 2, 2, 3)
    assert row.gzip == len(gzip.compress(library.read_bytes(), 9)) < 100


def test_without_a_library_there_is_no_row(tmp_path: Path) -> None:
    with pytest.raises(NestedError, match="linux_arm64: no libtensorflow-core.so"):
        _measured(tmp_path / "skipped.txt")


def test_build_file_has_the_platforms_of_the_script() -> None:
    build_file = sizes.BUILD_FILE.read_text(encoding="utf-8")
    assert all(f'"{platform}",' in build_file for platform in sizes.PLATFORMS)
    assert build_file.count('"linux_') == len(sizes.PLATFORMS)


def test_text_has_all_tables() -> None:
    rows = [Measured("lstm", "linux_arm64", Variant.CARVED, 27, 34, 858, 2_000_000, 1_000_000)]
    text = sizes.text(rows)
    assert "| lstm | linux_arm64 | 2,000,000 |" in text
    assert "| lstm | what the model needs | 27 | 34 | 858 |" in text
    assert "| ONNX Runtime |" in text


@pytest.mark.parametrize("option", ["--model=alexnet", "--platform=windows", "--stock=amiga"])
def test_unknown_names_are_refused(option: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stopped:
        sizes.main([option])
    assert stopped.value.code == 2
    assert "choose from" in capsys.readouterr().err


def test_models_that_are_measured() -> None:
    assert set(sizes.MODELS) == {"inception_v3", "mobilenet_v2", "resnet_50", "lstm"}
