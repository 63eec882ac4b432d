"""Programs for another CPU: run under qemu, which counts their instructions. Emulated times are not meaningful."""

import hashlib
import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from tfcarve import files
from tfcarve.benchmark import program
from tfcarve.benchmark.measurement import Measurement
from tfcarve.benchmark.task import Task
from tfcarve.errors import InvalidInput

_PLUGIN = Path(__file__).parent / "count_instructions.c"
_COUNT = re.compile(rb"^instructions: (\d+)$", re.MULTILINE)
_VERSION = re.compile(r"version (\d+)\.")
_FLAGS = ("-O2", "-shared", "-fPIC", "-fvisibility=hidden")

# The emulator of each CPU and its options. The static emulators of qemu-user-static do not load plugins.
_EMULATORS = {
    "aarch64": ("qemu-aarch64", "-L", "/usr/aarch64-linux-gnu"),
    # The CPU of a Raspberry Pi 2.
    "armv7": ("qemu-arm", "-cpu", "cortex-a7", "-L", "/usr/arm-linux-gnueabihf"),
    "x86_64": ("qemu-x86_64", "-L", "/usr/x86_64-linux-gnu"),
}


@dataclass(frozen=True, slots=True)
class Instructions:
    """Executed instructions: of one run after the first, and of a process that loads the model and runs it once."""

    run: int
    load_and_first_run: int


def emulator(cpu: str) -> list[str]:
    """Returns the command that runs programs for a CPU; raises InvalidInput if it is not installed."""
    if cpu not in _EMULATORS:
        raise InvalidInput(f"programs for {cpu} run neither natively nor under qemu here")
    name, *options = _EMULATORS[cpu]
    found = shutil.which(name)
    if found is None:
        raise InvalidInput(
            f"{name} is not on PATH: it runs programs for {cpu}. Try: sudo apt-get install qemu-user"
        )
    return [found, *options]


def api_version(output: str) -> int:
    """Returns the plugin API version for the output of `qemu --version`; raises ValueError if the output has no version.

    Source: qemu's include/qemu/qemu-plugin.h. qemu 9.0 no longer loads plugins for API 1. The plugin works with both.
    """
    found = _VERSION.search(output)
    if found is None:
        raise ValueError(output)
    return 1 if int(found[1]) < 9 else 2


def plugin(qemu: str) -> Path:
    """Returns the plugin that counts instructions in an emulator; compiles it once and caches it.

    Raises InvalidInput if there is no compiler or it fails.
    """
    try:
        done = subprocess.run([qemu, "--version"], check=True, capture_output=True, text=True)
        version = api_version(done.stdout)
    except (OSError, subprocess.CalledProcessError, ValueError) as error:
        raise InvalidInput(f"{qemu} --version: no version: {error}") from None
    source = files.read_bytes(_PLUGIN)
    digest = hashlib.sha256(source + bytes([version])).hexdigest()[:16]
    cached = files.cache_directory() / "qemu" / f"count_instructions-{digest}.so"
    if not cached.is_file():
        _compile(version, cached)
    return cached


def _compile(version: int, output: Path) -> None:
    compiler = next(filter(None, map(shutil.which, ("cc", "gcc", "clang"))), None)
    if compiler is None:
        raise InvalidInput(
            "no C compiler on PATH: it compiles qemu's counting plugin. Try: sudo apt-get install gcc"
        )
    output.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=output.parent) as folder:
        compiled = Path(folder, output.name)
        flags = [*_FLAGS, f"-DQEMU_PLUGIN_API={version}"]
        done = subprocess.run(
            [compiler, *flags, str(_PLUGIN), "-o", str(compiled)],
            check=False,
            capture_output=True,
            text=True,
        )
        if done.returncode:
            raise InvalidInput(f"{compiler}: cannot compile {_PLUGIN}: {done.stderr.strip()}")
        os.replace(compiled, output)


def count(cpu: str, path: Path, task: Task) -> Instructions:
    """Counts the instructions of one run: the difference between processes with two runs and with one.

    Args:
      cpu: the CPU that the program was built for.
      path: a benchmark_model.
      task: the benchmark; its numbers of runs are ignored.

    Raises the errors of program.run, and InvalidInput if nothing was counted.
    """
    first, both = (_count(emulator(cpu), path, _runs(task, runs)) for runs in (0, 1))
    return Instructions(both - first, first)


def shapes(cpu: str, path: Path, task: Task, trace: Path | None) -> Measurement:
    """Runs a task with one traced run and no measured ones, for the shapes; raises the errors of program.run."""
    return program.run([*emulator(cpu), str(path)], replace(_runs(task, 0), traced_runs=1), trace)


def _runs(task: Task, runs: int) -> Task:
    return replace(task, warmup=0, runs=runs, seconds=None, traced_runs=0)


def _count(qemu: Sequence[str], path: Path, task: Task) -> int:
    return executed(qemu, lambda counting: program.run([*counting, str(path)], task))


def executed(qemu: Sequence[str], run: Callable[[Sequence[str]], object]) -> int:
    """Returns the number of instructions that a process executes.

    Args:
      qemu: the emulator and its options.
      run: runs the process; its argument is `qemu` with the options that make it count.

    Raises the errors of `run`, and InvalidInput if nothing was counted.
    """
    # qemu splits the value at commas.
    counter = str(plugin(qemu[0])).replace(",", ",,")
    with tempfile.TemporaryDirectory(prefix="tfcarve-") as folder:
        log = Path(folder, "qemu.log")
        run([*qemu, "-plugin", counter, "-d", "plugin", "-D", str(log)])
        counts = _COUNT.findall(files.read_bytes(log)) if log.is_file() else []
    if len(counts) != 1:
        raise InvalidInput(f"{qemu[0]}: counted no instructions")
    return int(counts[0])
