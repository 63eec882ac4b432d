"""Tests of the benchmark of options: its BUILD file and its table."""

from __future__ import annotations

from pathlib import Path

from benchmarks.size import options
from benchmarks.size.options import Option


def test_build_file_has_the_options_and_platforms_of_the_script() -> None:
    build_file = options.BUILD_FILE.read_text(encoding="utf-8")
    assert all(f'    "{name}": {{' in build_file for name in options.OPTIONS)
    assert all(f'    "{platform}",' in build_file for platform in options.PLATFORMS)


def test_table_compares_with_the_platforms_default() -> None:
    rows = [
        Option("linux_x86_64", "default", 2_000_000, 1_000_000, 3e-7, 20.0, 2000.0),
        Option("linux_arm64", "default", 1_800_000, 900_000, 4e-7, 25.0, None),
        Option("linux_x86_64", "O2", 3_000_000, 1_250_000, 3e-7, 30.0, 1500.0),
    ]
    assert options.table(rows).splitlines()[2:] == [
        "| linux_x86_64 | default | 2,000,000 (1.00) | 1,000,000 (1.00) | 3.0e-07 | 20.0 s (1.00) | 2,000 ms (1.00) |",
        "| linux_arm64 | default | 1,800,000 (1.00) | 900,000 (1.00) | 4.0e-07 | 25.0 s (1.00) | - |",
        "| linux_x86_64 | O2 | 3,000,000 (1.50) | 1,250,000 (1.25) | 3.0e-07 | 30.0 s (1.50) | 1,500 ms (0.75) |",
    ]


def test_compilation_does_not_overwrite_bazels_outputs() -> None:
    command = ["gcc", "-Os", "-MD", "-MF", "a.d", "-fPIC", "-c", "a.cc", "-o", "a.o"]
    expected = ["gcc", "-Os", "-fPIC", "-c", "a.cc", "-o", "b.o"]
    assert options.compilation(command, Path("b.o")) == expected
