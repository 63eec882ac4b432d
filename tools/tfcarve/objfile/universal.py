"""Universal (fat) files (Apple's mach-o/fat.h): struct fat_header, a struct fat_arch for each slice, the slices."""

import struct
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from tfcarve.errors import InvalidInput
from tfcarve.objfile import cpu

MAGIC = b"\xca\xfe\xba\xbe"
_HEADER = struct.Struct(">4sI")
_SLICE = struct.Struct(">5I")
_MAX_SLICES = 32
# lipo aligns archives of 64-bit objects to 8 bytes.
_ALIGNMENT_BITS = 3


@dataclass(frozen=True, slots=True)
class Slice:
    """The file for one CPU in a universal file; `name` is the universal file's name with the slice, for messages."""

    name: str
    data: bytes


def slices(data: bytes, where: str) -> Iterator[Slice]:
    """Yields the slices of a universal file.

    Args:
      data: the file, which begins with MAGIC.
      where: its name, for messages.

    Raises:
      InvalidInput: it ends in its header, or a slice ends beyond the file.
    """
    try:
        _, count = _HEADER.unpack_from(data)
        if not 0 < count <= _MAX_SLICES:
            raise InvalidInput(f"{where}: a universal file of {count} slices")
        for number in range(count):
            kind, _, start, size, _ = _SLICE.unpack_from(data, _HEADER.size + _SLICE.size * number)
            known = cpu.BY_MACHO_TYPE.get(kind)
            arch = known.apple_name if known else f"CPU {kind:#x}"
            name = f"{where} (slice {number + 1} of {count}, {arch})"
            if start + size > len(data):
                raise InvalidInput(f"{name}: ends beyond the file: is it truncated?")
            yield Slice(name, data[start : start + size])
    except struct.error:
        raise InvalidInput(f"{where}: a universal file that ends in its header") from None


def pack(files: Mapping[str, bytes]) -> bytes:
    """Returns a universal file, byte for byte as `lipo -create` writes it.

    Args:
      files: a static archive for each CPU, by Apple's name of the CPU.
    """
    ordered = sorted(
        ((cpu.BY_APPLE_NAME[name], data) for name, data in files.items()),
        key=lambda pair: (pair[0].macho_type, pair[0].macho_subtype),
    )
    header = _HEADER.pack(MAGIC, len(ordered))
    body = b""
    at = len(header) + _SLICE.size * len(ordered)
    for kind, data in ordered:
        start = -(-at // (1 << _ALIGNMENT_BITS)) << _ALIGNMENT_BITS
        header += _SLICE.pack(
            kind.macho_type, kind.macho_subtype, start, len(data), _ALIGNMENT_BITS
        )
        body += bytes(start - at) + data
        at = start + len(data)
    return header + body
