"""The kind of an ELF file: a program or a shared library, and its CPU. Pure."""

import platform
from dataclasses import dataclass

from tfcarve.errors import InvalidInput
from tfcarve.objfile import cpu, elf


@dataclass(frozen=True, slots=True)
class Executable:
    """A program or a shared library: its CPU, and whether it is a program or a library."""

    cpu: str
    is_program: bool


def identify(data: bytes, where: str) -> Executable:
    """Returns the kind of a file.

    Args:
      data: the file.
      where: its name, for messages.

    Raises InvalidInput if it is neither an ELF program nor a shared library.
    """
    if not data.startswith(elf.MAGIC):
        raise InvalidInput(f"{where}: not an ELF file: expected a program or a shared library")
    file = elf.open_elf(data, where)
    try:
        kind = file["e_type"]
        has_interpreter = any(segment["p_type"] == "PT_INTERP" for segment in file.iter_segments())
    except elf.DAMAGED as error:
        raise elf.damaged(where, error) from None
    if kind not in ("ET_EXEC", "ET_DYN"):
        raise InvalidInput(f"{where}: neither a program nor a shared library: {kind}")
    name = elf.cpu_name(data, where)
    if name not in cpu.BY_NAME:
        raise InvalidInput(f"{where}: built for {name}, which tfcarve does not support")
    return Executable(name, kind == "ET_EXEC" or has_interpreter)


def host_cpu() -> str:
    """Returns the CPU whose programs this machine runs natively; "" if objfile.cpu does not have it."""
    host = cpu.BY_UNAME.get(platform.machine())
    return host.name if host else ""
