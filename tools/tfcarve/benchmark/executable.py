"""What kind of file is to be measured: a program or a shared library, and for which CPU. Pure."""

import platform
from dataclasses import dataclass

from tfcarve.errors import InvalidInput
from tfcarve.objfile import cpu, elf


@dataclass(frozen=True, slots=True)
class Executable:
    """A file to measure: its CPU, as in objfile.cpu, and whether it is a program, not a library."""

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
    file = elf.open_elf(data, where)
    try:
        kind = file["e_type"]
        named = any(segment["p_type"] == "PT_INTERP" for segment in file.iter_segments())
    except elf.DAMAGED as error:
        raise elf.damaged(where, error) from None
    if kind not in ("ET_EXEC", "ET_DYN"):
        raise InvalidInput(f"{where}: neither a program nor a shared library: {kind}")
    name = elf.cpu_name(data, where)
    if name not in cpu.BY_NAME:
        raise InvalidInput(f"{where}: is for {name}, which tfcarve builds nothing for")
    return Executable(name, kind == "ET_EXEC" or named)


def own_cpu() -> str:
    """Returns the CPU whose programs this machine runs itself, "" where that is none of ours."""
    own = cpu.BY_UNAME.get(platform.machine())
    return own.name if own else ""
