"""The gate for 32-bit Raspberry Pi: what it lets through, and what not."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from e2e.arm import RASPBERRY_PI_2, attributes

FLAGS = ["-mcpu=cortex-a7", "-mfpu=neon-vfpv4"]


@pytest.mark.parametrize(
    ("flags", "passes"),
    [(FLAGS, True), ([], False), (["-mcpu=cortex-a53", "-mfpu=neon-fp-armv8"], False)],
    ids=["the platform's", "the compiler's default", "ARMv8"],
)
def test_gate(flags: list[str], passes: bool, tmp_path: Path) -> None:
    source, made = tmp_path / "a.c", tmp_path / "a.o"
    source.write_text("float f(float a, float b, float c) { return a * b + c; }\n")
    subprocess.run(["arm-linux-gnueabihf-g++", *flags, "-c", source, "-o", made], check=True)
    assert (attributes(made.read_bytes()) == RASPBERRY_PI_2) == passes
