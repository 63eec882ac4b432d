"""Encodes indexes of checkpoints manually: small sorted tables."""

from __future__ import annotations

from collections.abc import Iterable

import protos

_TRAILER = bytes(5)
_MAGIC = 0xDB4775248B80FB57.to_bytes(8, "little")
_FOOTER_HANDLES = 40


def _block(entries: Iterable[tuple[bytes, bytes]]) -> bytes:
    """Returns a block in which each key shares the start of the one before it."""
    out, before = bytearray(), b""
    for key, value in entries:
        shared = next(
            (i for i, (a, b) in enumerate(zip(key, before, strict=False)) if a != b),
            min(len(key), len(before)),
        )
        own = key[shared:]
        out += b"".join(map(protos.varint, (shared, len(own), len(value)))) + own + value
        before = key
    restarts = (0).to_bytes(4, "little") + (1).to_bytes(4, "little")
    return bytes(out) + restarts


def table(entries: Iterable[tuple[bytes, bytes]]) -> bytes:
    """Returns a table with one block of data."""

    def handle(start: int, block: bytes) -> bytes:
        return protos.varint(start) + protos.varint(len(block))

    data, metadata = _block(entries), _block([])
    index = _block([(b"\xff", handle(0, data))])
    out = data + _TRAILER
    meta_handle = handle(len(out), metadata)
    out += metadata + _TRAILER
    handles = meta_handle + handle(len(out), index)
    return out + index + _TRAILER + handles.ljust(_FOOTER_HANDLES, b"\0") + _MAGIC


def index_v2(types: dict[str, int]) -> bytes:
    """Returns the index of a checkpoint of format V2 with the DataType of each tensor."""
    header = (b"", protos.number(1, 1))
    part = (b"\0w", protos.number(1, 1))
    return table([header, part, *((k.encode(), protos.number(1, types[k])) for k in sorted(types))])


def file_v1(types: dict[str, int]) -> bytes:
    """Returns a checkpoint of format V1, without values, with the DataType of each tensor."""
    tensors = [protos.data(1, protos.data(1, k) + protos.number(3, n)) for k, n in types.items()]
    return table([(b"", protos.data(1, b"".join(tensors)))])
