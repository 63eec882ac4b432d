"""Counts the instructions of one run on ARM under qemu: in a carved library and in TensorFlow Lite."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from benchmarks.inference.carved import Carved
from benchmarks.inference.speed_table import Instructions
from demo import arm_python, cached_models
from demo.arm_python import ArmPython
from demo.cached_models import CachedModel
from tfcarve.benchmark import emulated

# The CPU of each platform, as in tfcarve.benchmark.emulated.
CPUS = {"linux_arm64": "aarch64", "linux_armv7": "armv7"}
# Multiply-adds of an instruction: the floats of a 128-bit vector.
_LANES = 4
_SCRIPT = Path(__file__).with_name("arm_lite.py")


def counted(platform: str, name: str, carved: Carved, multiply_adds: float) -> Instructions:
    """Counts the instructions of a model.

    Args:
      platform: of the library.
      name: of the model.
      carved: the library and the model.
      multiply_adds: of one run.

    Raises what emulated.count does, BootstrapError if there is no Python for the platform, and CalledProcessError if
    TensorFlow Lite cannot run the model.
    """
    cpu = CPUS[platform]
    count = emulated.count(cpu, carved.program, carved.task(1, 0)).run
    qemu = arm_python.without_root(emulated.emulator(cpu))
    python, lite = arm_python.unpacked(platform), cached_models.lite(name)
    one, two = (_lite(qemu, python, lite, carved.model, runs) for runs in (1, 2))
    return Instructions(platform, name, multiply_adds / _LANES, count, two - one)


def _lite(qemu: Sequence[str], python: ArmPython, file: Path, model: CachedModel, runs: int) -> int:
    arguments: list[str | Path] = [_SCRIPT, file, model.input, model.output, str(runs)]

    def run(counting: Sequence[str]) -> None:
        subprocess.run(python.command(counting, arguments), check=True, stdout=sys.stderr)

    return emulated.executed(qemu, run)
