"""CRC-32C (Castagnoli). Source: RFC 3720, appendix B.4."""

_POLYNOMIAL = 0x82F63B78  # reflected
_ALL = 0xFFFFFFFF


def _row(value: int) -> int:
    for _ in range(8):
        value = value >> 1 ^ (_POLYNOMIAL if value & 1 else 0)
    return value


_TABLE = tuple(map(_row, range(256)))


def crc32c(data: bytes) -> int:
    """Returns the checksum of `data`."""
    crc = _ALL
    for byte in data:
        crc = _TABLE[(crc ^ byte) & 0xFF] ^ crc >> 8
    return crc ^ _ALL
