"""Messages between the evaluator and its child process: a JSON head and binary parts, each with its length.

tfcarve writes and reads both sides, so the size of decoded values has no limit, unlike in json_codec.
"""

import struct
from collections.abc import Sequence
from typing import BinaryIO, TypeVar

import msgspec
from msgspec.json import Decoder

_T = TypeVar("_T")


def send(stream: BinaryIO, head: msgspec.Struct, parts: Sequence[bytes]) -> None:
    """Writes a message: the number of its parts, then each part with its length; the first one is the head."""
    listed = [msgspec.json.encode(head), *parts]
    stream.write(struct.pack("<Q", len(listed)))
    for part in listed:
        stream.write(struct.pack("<Q", len(part)))
        stream.write(part)
    stream.flush()


def receive(stream: BinaryIO, head: Decoder[_T]) -> tuple[_T, list[bytes]]:
    """Reads a message; `head` decodes its head. Raises EOFError if the stream ends before the message does."""

    def exactly(size: int) -> bytes:
        data = stream.read(size)
        if len(data) < size:
            raise EOFError
        return data

    (count,) = struct.unpack("<Q", exactly(8))
    parts = [exactly(*struct.unpack("<Q", exactly(8))) for _ in range(count)]
    return head.decode(parts[0]), parts[1:]
