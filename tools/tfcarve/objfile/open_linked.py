"""Opens a linked library in the reader for its format."""

from tfcarve.errors import InvalidInput
from tfcarve.objfile import macho, universal
from tfcarve.objfile.linked import LinkedFile
from tfcarve.objfile.linked_elf import LinkedElf
from tfcarve.objfile.linked_macho import LinkedMachO


def open_linked(data: bytes, where: str) -> LinkedFile:
    """Opens a linked ELF library, or a Mach-O library for one CPU.

    Args:
      data: the file.
      where: its name, for messages.

    Raises:
      InvalidInput: it is neither, or damaged.
    """
    if data.startswith(universal.MAGIC):
        raise InvalidInput(f"{where}: a universal file: extract one slice with `lipo -thin`")
    return LinkedMachO(data, where) if data.startswith(macho.MAGIC_64) else LinkedElf(data, where)
