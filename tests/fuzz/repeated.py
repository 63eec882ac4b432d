"""Inputs in which a part is there again and again: where a reader's time or memory grows faster than its input."""

from __future__ import annotations

import random
import re

import protos

from tfcarve.models import wire

# So many bytes are made of the part: what takes the square of its input's size takes a minute for the most of
# them; some readers refuse so much at once.
SIZES = (10_000, 100_000)
_TOKEN = re.compile(rb""""(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'|[\w.]+|\s+|.""", re.DOTALL)


def _times(part: bytes, size: int) -> bytes:
    return part * max(1, size // len(part))


def _in_message(data: bytes, size: int, choose: random.Random) -> bytes | None:
    """A message with one more field: one of its own again and again, or with such fields in it; None where it is none."""
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
    """A text with some tokens in a row, or some bytes, again and again; what follows them may be left out."""
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
    """Returns `data` with a part of it repeated: another one for each `number`."""
    choose = random.Random(number)
    size = choose.choice(SIZES)
    made = _in_message(data, size, choose) if choose.random() < 0.5 else None
    return made or (_in_text(data, size, choose) if data else b"")
