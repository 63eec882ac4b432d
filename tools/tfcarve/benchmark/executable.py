"""The kind of the file to benchmark: a program or a shared library, and its CPU. Pure."""

import platform
from dataclasses import dataclass

from tfcarve import elf_file
from tfcarve.errors import InvalidInput
from tfcarve.proof.binary import CPUS

_CPU_OF_ELF = {machine: name for name, (_, machine, _) in CPUS.items()}
# The CPUs of proof.binary.CPUS by the output of `uname -m` on a machine that runs their programs.
_CPU_OF_MACHINE = {"aarch64": "aarch64", "arm64": "aarch64", "armv7l": "armv7", "x86_64": "x86_64"}


@dataclass(frozen=True, slots=True)
class Executable:
    """A file to benchmark: its CPU, as in proof.binary.CPUS, and whether it is a program or a library."""

    cpu: str
    is_program: bool


def identify(data: bytes, where: str) -> Executable:
    """Returns the kind of a file.

    Args:
      data: the file.
      where: its name, for messages.

    Raises InvalidInput if it is neither an ELF program nor a shared library.
    """
    if not data.startswith(b"\x7fELF"):
        raise InvalidInput(
            f"{where}: not an ELF file: expected a benchmark_model or a shared library"
        )
    elf = elf_file.opened(data, where)
    try:
        kind, number = elf["e_type"], int.from_bytes(data[18:20], "little")
        has_interpreter = any(segment["p_type"] == "PT_INTERP" for segment in elf.iter_segments())
    except elf_file.DAMAGED as error:
        raise InvalidInput(f"{where}: damaged ELF file: {error}") from None
    if kind not in ("ET_EXEC", "ET_DYN"):
        raise InvalidInput(f"{where}: neither a program nor a shared library: {kind}")
    if number not in _CPU_OF_ELF:
        raise InvalidInput(
            f"{where}: built for ELF machine {number}, which tfcarve does not support"
        )
    return Executable(_CPU_OF_ELF[number], kind == "ET_EXEC" or has_interpreter)


def host_cpu() -> str:
    """Returns the CPU whose programs this machine runs natively, "" if it is none of CPUS."""
    return _CPU_OF_MACHINE.get(platform.machine(), "")
