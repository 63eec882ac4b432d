"""The parts of a universal (fat) file: Apple's mach-o/fat.h, struct fat_header, then a struct fat_arch each."""

import struct
from collections.abc import Iterator

from tfcarve.errors import InvalidInput

MAGIC = b"\xca\xfe\xba\xbe"
_MOST_PARTS = 32


def parts(data: bytes, where: str) -> Iterator[bytes]:
    """Yields the parts of a universal file.

    Args:
      data: the file, which begins with MAGIC.
      where: its name, for messages.

    Raises:
      InvalidInput: it ends in its header, or a part reaches beyond its end.
    """
    try:
        (count,) = struct.unpack_from(">I", data, 4)
        if not 0 < count <= _MOST_PARTS:
            raise InvalidInput(f"{where}: a universal file of {count} parts")
        for number in range(count):
            _, _, start, size, _ = struct.unpack_from(">5I", data, 8 + 20 * number)
            if start + size > len(data):
                raise InvalidInput(
                    f"{where}: its part {number} ends beyond the file: was it cut off?"
                )
            yield data[start : start + size]
    except struct.error:
        raise InvalidInput(f"{where}: a universal file that ends in its header") from None
