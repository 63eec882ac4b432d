"""An event file with a graph, which TensorBoard's graph plugin shows. Pure.

Source: tensorflow/core/util/event.proto (Event), tensorflow/tsl/lib/io/record_writer.cc and tsl/lib/hash/crc32c.h (the
framing of records).
"""

import struct
from collections.abc import Iterator

from tfcarve.drawing.crc32c import crc32c
from tfcarve.models.wire import FIXED64
from tfcarve.models.wire_write import bytes_field, tag

# TensorBoard reads files with "tfevents" in their name.
NAME = "events.out.tfevents.0.tfcarve"
_VERSION = b"brain.Event:2"
_MASK_DELTA = 0xA282EAD8


def _masked(data: bytes) -> bytes:
    """Returns the checksum of `data`, rotated and shifted as records store it."""
    crc = crc32c(data)
    rotated = (crc >> 15 | crc << 17) & 0xFFFFFFFF
    return struct.pack("<I", (rotated + _MASK_DELTA) & 0xFFFFFFFF)


def _record(content: bytes) -> Iterator[bytes]:
    length = struct.pack("<Q", len(content))
    yield length + _masked(length)
    yield content
    yield _masked(content)


def _event(number: int, content: bytes) -> bytes:
    """Returns an Event with one field; its time is 0, so that equal graphs give equal files."""
    return tag(1, FIXED64) + struct.pack("<d", 0.0) + bytes_field(number, content)


def event_file(graph_def: bytes) -> Iterator[bytes]:
    """Yields the pieces of the event file for a serialized GraphDef."""
    yield from _record(_event(3, _VERSION))
    yield from _record(_event(4, graph_def))
