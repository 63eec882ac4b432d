"""Tests of the command of a benchmark of products: its page and its exit status."""

from __future__ import annotations

import platform
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from benchmarks import measure
from benchmarks.matrix import command
from benchmarks.matrix.command import Benchmark
from benchmarks.matrix.products_table import WrongProduct
from tfcarve.errors import InvalidInput

_BENCHMARK = Benchmark("some_products", "Some.", "Some products", "SOME.md", rounds=3)


@pytest.fixture(autouse=True)
def _machine(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(platform, "machine", lambda: "x86_64")
    monkeypatch.setattr(measure, "machine", lambda: "a machine")


def _text(folder: Path, rounds: int) -> str:
    assert folder.is_dir()
    return f"{rounds} rounds.\n"


def _failing(error: Exception) -> Callable[[Path, int], str]:
    def measured(folder: Path, rounds: int) -> str:
        raise error

    return measured


@pytest.mark.parametrize(("options", "rounds"), [([], 3), (["--rounds=5"], 5)])
def test_page(options: list[str], rounds: int, tmp_path: Path) -> None:
    page = tmp_path / "p.md"
    assert command.run(_BENCHMARK, _text, [*options, f"--output={page}"]) == 0
    title, _, measured, _, words, _, text = page.read_text().splitlines()
    assert (title, text) == ("# Some products", f"{rounds} rounds.")
    assert "a machine." in measured
    assert measured.endswith(f"CPU time, the minimum of {rounds} rounds in turns.")
    assert words == "    PYTHONPATH=tools:. python -m benchmarks.matrix.some_products"


@pytest.mark.parametrize(
    ("error", "status"),
    [
        (WrongProduct("x: off"), 1),
        (InvalidInput("x: no such file"), 2),
        (subprocess.CalledProcessError(1, "g++"), 2),
    ],
)
def test_failures(
    error: Exception, status: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    page = tmp_path / "p.md"
    assert command.run(_BENCHMARK, _failing(error), [f"--output={page}"]) == status
    assert capsys.readouterr().err == f"some_products: {error}\n"
    assert not page.exists()


def test_no_rounds(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    page = tmp_path / "p.md"
    assert command.run(_BENCHMARK, _text, ["--rounds=0", f"--output={page}"]) == 2
    assert "at least one round" in capsys.readouterr().err
    assert not page.exists()
