"""Inputs with one part repeated: they show where time or memory grows faster than the input."""

from __future__ import annotations

import random
import re

import protos

from tfcarve.models import wire

# The size that the part is repeated to. Quadratic time shows as a minute for the larger one; some readers refuse
# inputs of that size at once.
SIZES = (10_000, 100_000)
_TOKEN = re.compile(rb""""(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'|[\w.]+|\s+|.""", re.DOTALL)


def _times(part: bytes, size: int) -> bytes:
    return part * max(1, size // len(part))


def _in_message(data: bytes, size: int, choose: random.Random) -> bytes | None:
    """Returns a message with one of its fields, at any depth, repeated; None if `data` is no message."""
    try:
        parts = [
            (n, a, b) for n, kind, a, b in wire.fields(data, 0, len(data)) if kind == wire.BYTES
        ]
    except wire.WireError:
        return None
    if not parts:
        return None
    number, begin, end = choose.choice(parts)
    content = data[begin:end]
    inner = _in_message(content, size, choose) if choose.random() < 0.7 else None
    if inner is None and content and choose.random() < 0.3:
        inner = _times(content, size)
    field = protos.data(number, content if inner is None else inner)
    return data[:end] + (_times(field, size) if inner is None else field) + data[end:]


def _in_text(data: bytes, size: int, choose: random.Random) -> bytes:
    """Returns a text with some adjacent tokens or bytes repeated; what follows may be cut off."""
    places = [token.start() for token in _TOKEN.finditer(data)]
    if choose.random() < 0.5:
        places = list(range(len(data)))
    first = choose.randrange(len(places))
    last = first + choose.choice((1, 1, 2, 2, 3, 4, 6, 9, 14, 30))
    begin, end = places[first], places[last] if last < len(places) else len(data)
    return (
        data[:begin]
        + _times(data[begin:end], size)
        + (data[end:] if choose.random() < 0.7 else b"")
    )


def repeated(data: bytes, number: int) -> bytes:
    """Returns `data` with one part repeated; `number` selects the part."""
    choose = random.Random(number)
    size = choose.choice(SIZES)
    message = _in_message(data, size, choose) if choose.random() < 0.5 else None
    return message or (_in_text(data, size, choose) if data else b"")
