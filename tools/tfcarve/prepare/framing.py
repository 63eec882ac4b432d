"""Messages between the evaluator and its child process: a JSON head and binary parts, each with its length."""

import json
import struct
from collections.abc import Sequence
from typing import Any, BinaryIO

_Json = dict[str, Any]


def send(stream: BinaryIO, head: _Json, parts: Sequence[bytes]) -> None:
    """Writes a message: the number of its parts, then each with its length; the first is JSON."""
    listed = [json.dumps(head).encode(), *parts]
    stream.write(struct.pack("<Q", len(listed)))
    for part in listed:
        stream.write(struct.pack("<Q", len(part)))
        stream.write(part)
    stream.flush()


def receive(stream: BinaryIO) -> tuple[_Json, list[bytes]]:
    """Reads a message that `send` wrote; raises EOFError where there is no whole one."""

    def exactly(size: int) -> bytes:
        data = stream.read(size)
        if len(data) < size:
            raise EOFError
        return data

    (count,) = struct.unpack("<Q", exactly(8))
    parts = [exactly(*struct.unpack("<Q", exactly(8))) for _ in range(count)]
    return json.loads(parts[0]), parts[1:]
