"""Tests of Python for ARM: its command, and the pins of its wheels."""

from __future__ import annotations

from pathlib import Path

import pytest

from demo import arm_python
from demo.arm_python import ARCHITECTURES, ArmPython, Wheel

_PINS = Path(__file__).resolve().parents[2] / "third_party/python/dev.txt"


def test_command() -> None:
    python = ArmPython(Path("/c/root"), "aarch64-linux-gnu", Path("/c/modules"))
    assert python.command(["qemu-aarch64"], ["a.py", Path("m.tflite")]) == [
        *("qemu-aarch64", "-L", "/c/root"),
        *("-E", "LD_LIBRARY_PATH=/c/root/usr/lib/aarch64-linux-gnu/blas"
          ":/c/root/usr/lib/aarch64-linux-gnu/lapack"),
        *("-E", "PYTHONDONTWRITEBYTECODE=1"),
        *("-E", "PYTHONHOME=/c/root/usr"),
        *("-E", "PYTHONPATH=/c/root/usr/lib/python3/dist-packages:/c/modules"),
        *("/c/root/usr/bin/python3.11", "a.py", "m.tflite"),
    ]  # fmt: skip


def test_emulator_without_its_root() -> None:
    qemu = ["/usr/bin/qemu-arm", "-cpu", "cortex-a7", "-L", "/usr/arm-linux-gnueabihf"]
    assert arm_python.without_root(qemu) == ["/usr/bin/qemu-arm", "-cpu", "cortex-a7"]


@pytest.mark.parametrize("wheel", [w for a in ARCHITECTURES.values() for w in a.wheels])
def test_wheels_are_those_of_the_tests_environment(wheel: Wheel) -> None:
    """So a new version there is a new version here."""
    text = _PINS.read_text(encoding="utf-8")
    _, found, pinned = text.partition(f"\n{wheel.requirement} \\\n")
    assert found, f"{wheel.requirement}: {_PINS} has another version"
    hashes = pinned.partition("==")[0]
    assert f"--hash=sha256:{wheel.sha256}" in hashes
