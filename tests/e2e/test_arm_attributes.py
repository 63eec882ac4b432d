"""The build attributes of objects for the Raspberry Pi 2."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from e2e.objects.arm_attributes import RASPBERRY_PI_2, attributes

FLAGS = ["-mcpu=cortex-a7", "-mfpu=neon-vfpv4"]


@pytest.mark.parametrize(
    ("flags", "expected"),
    [(FLAGS, True), ([], False), (["-mcpu=cortex-a53", "-mfpu=neon-fp-armv8"], False)],
    ids=["the platform's", "the compiler's default", "ARMv8"],
)
def test_attributes_by_compiler_flags(flags: list[str], expected: bool, tmp_path: Path) -> None:
    source, output = tmp_path / "a.c", tmp_path / "a.o"
    source.write_text("float f(float a, float b, float c) { return a * b + c; }\n")
    subprocess.run(["arm-linux-gnueabihf-g++", *flags, "-c", source, "-o", output], check=True)
    assert (attributes(output.read_bytes()) == RASPBERRY_PI_2) == expected
