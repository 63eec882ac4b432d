"""The instructions of one run on ARM, in a carved library and in TensorFlow Lite: counted under qemu."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from benchmarks import arm_python
from benchmarks.arm_python import ArmPython
from benchmarks.carved import Carved
from benchmarks.speed_table import Instructions
from demo import cached_models
from demo.cached_models import CachedModel
from tfcarve.benchmark import emulated

# The CPU of a platform, as tfcarve.benchmark.emulated has it.
CPUS = {"linux_arm64": "aarch64", "linux_armv7": "armv7"}
# An instruction multiplies and adds so many floats: those of a vector of 128 bits.
_LANES = 4
_SCRIPT = Path(__file__).with_name("arm_lite.py")


def counted(platform: str, name: str, own: Carved, multiply_adds: float) -> Instructions:
    """Counts for a model.

    Args:
      platform: of `own`.
      name: the model's.
      own: its library.
      multiply_adds: of one run.
    Raises what emulated.count does, BootstrapError where there is no Python for the platform, and CalledProcessError
    where TensorFlow Lite can't run the model.
    """
    cpu = CPUS[platform]
    ours = emulated.count(cpu, own.program, own.task(1, 0)).run
    qemu = without_root(emulated.emulator(cpu))
    python, lite = arm_python.unpacked(platform), cached_models.lite(name)
    one, two = (_lite(qemu, python, lite, own.model, runs) for runs in (1, 2))
    return Instructions(platform, name, multiply_adds / _LANES, ours, two - one)


def without_root(qemu: Sequence[str]) -> list[str]:
    """Returns the command of an emulator without its -L, which says where the libraries are."""
    at = qemu.index("-L")
    return [*qemu[:at], *qemu[at + 2 :]]


def _lite(qemu: Sequence[str], python: ArmPython, file: Path, model: CachedModel, runs: int) -> int:
    arguments: list[str | Path] = [_SCRIPT, file, model.input, model.output, str(runs)]

    def run(counting: Sequence[str]) -> None:
        subprocess.run(python.command(counting, arguments), check=True, stdout=sys.stderr)

    return emulated.executed(qemu, run)
