"""Encodes TensorFlow Lite models with Flex ops manually."""

import struct
from collections.abc import Sequence


def flex_options(*texts: bytes) -> bytes:
    """Returns a FlexBuffer that is a vector of strings."""
    body = bytearray()
    places = []
    for text in texts:
        body += struct.pack("<I", len(text))
        places.append(len(body))
        body += text + b"\0"
        while len(body) % 4:
            body.append(0)
    body += struct.pack("<I", len(texts))
    vector = len(body)
    for i, place in enumerate(places):
        body += struct.pack("<I", vector + 4 * i - place)
    body += bytes([5 << 2 | 2] * len(texts))
    body += bytes([len(body) - vector, 10 << 2 | 2, 1])
    return bytes(body)


class _Writer:
    """Writes from the front: a table is written before the data that it refers to, and patched."""

    def __init__(self) -> None:
        self.data = bytearray(b"\0\0\0\0TFL3")

    def align(self) -> None:
        while len(self.data) % 4:
            self.data.append(0)

    def refer(self, slot: int) -> None:
        """Sets the four bytes at `slot` to refer to the end of the data."""
        self.align()
        struct.pack_into("<I", self.data, slot, len(self.data) - slot)

    def table(self, fields: int) -> list[int]:
        """Writes a table of `fields` 4-byte fields; returns their offsets."""
        self.align()
        vtable = struct.pack("<HH", 4 + 2 * fields, 4 + 4 * fields)
        vtable += b"".join(struct.pack("<H", 4 + 4 * i) for i in range(fields))
        if len(vtable) % 4:
            vtable += b"\0\0"
        # The vtable is after its table, so its offset is negative.
        place = len(self.data)
        self.data += struct.pack("<i", -(4 + 4 * fields)) + bytes(4 * fields) + vtable
        return [place + 4 + 4 * i for i in range(fields)]

    def vector(self, slot: int, count: int) -> list[int]:
        """Writes a vector of `count` references; returns their offsets."""
        self.refer(slot)
        self.data += struct.pack("<I", count)
        place = len(self.data)
        self.data += bytes(4 * count)
        return [place + 4 * i for i in range(count)]

    def bytes(self, slot: int, content: bytes) -> None:
        """Writes a vector of bytes, or a string."""
        self.refer(slot)
        self.data += struct.pack("<I", len(content)) + content + b"\0"


def model(
    codes: Sequence[str], operators: Sequence[tuple[int, bytes]], subgraphs: int = 1
) -> bytes:
    """Returns a model with the custom codes and, for each subgraph, its operators (code, custom options)."""
    writer = _Writer()
    writer.refer(0)
    root = writer.table(3)
    for slot, code in zip(writer.vector(root[1], len(codes)), codes, strict=True):
        writer.refer(slot)
        fields = writer.table(2)
        writer.bytes(fields[1], code.encode())
    for slot in writer.vector(root[2], subgraphs):
        writer.refer(slot)
        graph = writer.table(4)
        for place, (code_index, options) in zip(
            writer.vector(graph[3], len(operators)), operators, strict=True
        ):
            writer.refer(place)
            fields = writer.table(6)
            struct.pack_into("<I", writer.data, fields[0], code_index)
            writer.bytes(fields[5], options)
    return bytes(writer.data)
