"""Protocol buffers' wire format, written.

Source: the encoding page of the Protocol Buffers documentation.
"""

from tfcarve.models.wire import BYTES


def varint(value: int) -> bytes:
    """Returns a varint that holds `value`, which is not negative."""
    if value < 0x80:
        return bytes((value,))
    out = bytearray()
    while value >= 0x80:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


def tag(number: int, kind: int) -> bytes:
    """Returns the tag of a field: its number and its wire type."""
    return varint(number << 3 | kind)


def begin(number: int, size: int) -> bytes:
    """Returns what comes before the `size` bytes of a field of type BYTES."""
    return tag(number, BYTES) + varint(size)
