"""What kind of file is to be measured: a program or a shared library, and for which CPU. Pure."""

import platform
from dataclasses import dataclass

from tfcarve import elf_file
from tfcarve.errors import InvalidInput
from tfcarve.proof.binary import CPUS

_CPU_OF_ELF = {machine: name for name, (_, machine, _) in CPUS.items()}
# CPUs as in CPUS by what `uname -m` calls a machine that runs their programs.
_CPU_OF_MACHINE = {"aarch64": "aarch64", "arm64": "aarch64", "armv7l": "armv7", "x86_64": "x86_64"}


@dataclass(frozen=True, slots=True)
class Executable:
    """A file to measure: its CPU, as in proof.binary.CPUS, and whether it is a program, not a library."""

    cpu: str
    is_program: bool


def look(data: bytes, where: str) -> Executable:
    """Returns what a file is.

    Args:
      data: the file.
      where: its name, for messages.
    Raises InvalidInput where it is neither an ELF program nor a shared library.
    """
    if not data.startswith(b"\x7fELF"):
        raise InvalidInput(
            f"{where}: no ELF file: a benchmark_model or a shared library is expected"
        )
    elf = elf_file.opened(data, where)
    try:
        kind, number = elf["e_type"], int.from_bytes(data[18:20], "little")
        named = any(segment["p_type"] == "PT_INTERP" for segment in elf.iter_segments())
    except elf_file.DAMAGED as error:
        raise InvalidInput(f"{where}: no whole ELF file: {error}") from None
    if kind not in ("ET_EXEC", "ET_DYN"):
        raise InvalidInput(f"{where}: neither a program nor a shared library: {kind}")
    if number not in _CPU_OF_ELF:
        raise InvalidInput(
            f"{where}: is for ELF machine {number}, which tfcarve builds nothing for"
        )
    return Executable(_CPU_OF_ELF[number], kind == "ET_EXEC" or named)


def own_cpu() -> str:
    """Returns the CPU whose programs this machine runs itself, "" where that is none of ours."""
    return _CPU_OF_MACHINE.get(platform.machine(), "")
