"""Reads sorted string tables: files of keys and values, such as the index of a checkpoint.

Source of the format: tensorflow/core/lib/io/{format,table_builder,block_builder}.{h,cc}, which follow the format of LevelDB.
"""

from collections.abc import Iterator

from tfcarve.models.wire import Budget, Buffer, Region, WireError, varint

MAGIC = 0xDB4775248B80FB57.to_bytes(8, "little")
_FOOTER = 48
# After each block: a byte with the compression, and a checksum.
_TRAILER = 5
_STORED = 0
_U32 = 4
# An upper bound of the memory of an entry, without its key and value.
_ENTRY = 200


def _handle(data: Buffer, place: int, end: int) -> tuple[Region, int]:
    """Returns the region of a block, and the place after it."""
    offset, place = varint(data, place, end)
    size, place = varint(data, place, end)
    return (offset, offset + size), place


def _block(data: Buffer, region: Region) -> bytes:
    start, end = region
    if end + _TRAILER > len(data):
        raise WireError("a block is outside of the file: it is truncated or damaged")
    if data[end] != _STORED:  # TensorFlow does not compress checkpoints
        raise WireError(f"byte {end}: a compressed block: damaged")
    return bytes(data[start:end])


def _in_block(block: bytes, budget: Budget) -> Iterator[tuple[bytes, bytes]]:
    restarts = int.from_bytes(block[-_U32:], "little") if len(block) >= _U32 else 0
    end = len(block) - _U32 * (restarts + 1)
    if end < 0:
        raise WireError("a block is too short: damaged")
    place, key = 0, b""
    while place < end:
        shared, place = varint(block, place, end)
        own, place = varint(block, place, end)
        size, place = varint(block, place, end)
        if shared > len(key) or own + size > end - place:
            raise WireError("an entry of a block is damaged")
        budget.take(_ENTRY + shared + own + size)
        key = key[:shared] + block[place : place + own]
        place += own + size
        yield key, block[place - size : place]


def entries(data: Buffer, budget: Budget) -> Iterator[tuple[bytes, bytes]]:
    """Yields the keys and values of a table, in the order of the keys.

    Args:
      data: the file.
      budget: of the file.

    Raises:
      WireError: it is not such a file, or it is damaged. Checksums are not checked.
    """
    if len(data) < _FOOTER or data[-len(MAGIC) :] != MAGIC:
        raise WireError("the file does not end like a table: truncated or damaged")
    start, end = len(data) - _FOOTER, len(data) - len(MAGIC)
    _, place = _handle(data, start, end)  # of the metadata
    index, _ = _handle(data, place, end)
    for _, value in _in_block(_block(data, index), budget):
        region, _ = _handle(value, 0, len(value))
        yield from _in_block(_block(data, region), budget)
