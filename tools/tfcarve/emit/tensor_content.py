"""The values of a TensorProto as one block of bytes: its tensor_content. Pure.

Source of the field numbers: tensorflow/core/framework/tensor.proto.
"""

import itertools
from array import array
from collections.abc import Iterator
from dataclasses import dataclass, field

from tfcarve import dtypes
from tfcarve.models import wire
from tfcarve.models.wire import BYTES, VARINT, Buffer, Field
from tfcarve.models.wire_write import copied

CONTENT = 4
DTYPE, SHAPE = 1, 2
_VERSION = 3
_DIM, _SIZE, _UNKNOWN_RANK = 2, 1, 3
# Fields with a list of values: the field number, and the array.array type code of a number. A complex number is two.
_LISTS = {
    "float32": (5, "I"),
    "float64": (6, "Q"),
    "int32": (7, "I"),
    "int16": (7, "H"),
    "int8": (7, "B"),
    "uint16": (7, "H"),
    "uint8": (7, "B"),
    "qint32": (7, "I"),
    "qint8": (7, "B"),
    "quint8": (7, "B"),
    "complex64": (9, "I"),
    "int64": (10, "Q"),
    "bool": (11, "B"),
    "complex128": (12, "Q"),
    "float16": (13, "H"),
    "bfloat16": (13, "H"),
    "uint32": (16, "I"),
    "uint64": (17, "Q"),
}
_FIXED = (5, 6, 9, 12)
# How many numbers are converted at once.
_BATCH = 1 << 12


@dataclass(frozen=True, slots=True)
class Content:
    """A tensor's content: `size` bytes of `data` from `place` on."""

    data: Buffer | bytearray
    place: int
    size: int


@dataclass(slots=True)
class _Fields:
    """The fields of a TensorProto; of repeated ones, the last."""

    dtype: str | None = None
    shape: tuple[int, int] = (0, 0)
    shapes: int = 0
    content: tuple[int, int] | None = None
    values: set[int] = field(default_factory=set)  # numbers of fields with values


def elements(data: Buffer, place: int, end: int, most: int) -> int | None:
    """Returns the number of elements in the TensorShapeProto at data[place:end]; None if it is unknown or more than `most`."""
    count = 1
    for number, kind, a, b in wire.fields(data, place, end):
        if number == _DIM and kind == BYTES:
            size = 0
            for inner, inner_kind, value, _ in wire.fields(data, a, b):
                if inner == _SIZE and inner_kind == VARINT:
                    size = wire.signed(value)
            count *= size
            if size < 0 or count > most:
                return None
        elif number == _UNKNOWN_RANK:
            return None
    return count


def _read_fields(data: Buffer, place: int, end: int) -> _Fields | None:
    """Reads a TensorProto without its values; None: its content has another wire type than BYTES."""
    tensor = _Fields()
    for number, kind, a, b in wire.fields(data, place, end):
        if number == DTYPE and kind == VARINT:
            tensor.dtype = dtypes.from_number(a)
        elif number == SHAPE and kind == BYTES:
            tensor.shape, tensor.shapes = (a, b), tensor.shapes + 1
        elif number == CONTENT:
            if kind != BYTES:
                return None
            tensor.content = (a, b)
        elif number != _VERSION:
            tensor.values.add(number)
    return tensor


def _numbers(data: Buffer, value: Field, code: str, is_bool: bool) -> Iterator[bytes]:
    """Yields the numbers of a field with values, in their representation in memory."""
    number, kind, a, b = value
    if number in _FIXED and kind == BYTES:
        yield data[a:b]
        return
    mask = (1 << 8 * array(code).itemsize) - 1
    found = wire.packed(data, a, b) if kind == BYTES else iter((a,))
    numbers = (n != 0 if is_bool else n & mask for n in found)
    while batch := array(code, itertools.islice(numbers, _BATCH)):
        yield batch.tobytes()


def _from_list(data: Buffer, place: int, end: int, tensor: _Fields) -> bytearray:
    """Returns the content for a tensor whose values are a list; empty: the list does not have every value."""
    if tensor.dtype not in _LISTS or tensor.shapes != 1:
        return bytearray()
    number, code = _LISTS[tensor.dtype]
    count = elements(data, *tensor.shape, end - place)
    if count is None or tensor.values != {number}:
        return bytearray()
    is_complex, is_bool = tensor.dtype.startswith("complex"), tensor.dtype == "bool"
    content = bytearray(count * array(code).itemsize * (2 if is_complex else 1))
    values = (f for f in wire.fields(data, place, end) if f[0] == number)
    at = 0
    for batch in (batch for value in values for batch in _numbers(data, value, code, is_bool)):
        at += len(batch)
        if at > len(content):
            return bytearray()
        content[at - len(batch) : at] = batch
    return content if at == len(content) else bytearray()


def large_content(data: Buffer, place: int, end: int, minimum: int) -> tuple[bytes, Content] | None:
    """Separates the content of the TensorProto at data[place:end] from its other fields.

    Args:
      data: the buffer that contains it.
      place: where it starts.
      end: where it ends.
      minimum: the smallest size of a content to return, in bytes.

    Returns:
      The fields without values, in wire format, and the content; None if the tensor has no content of the size `minimum`.

    Raises:
      wire.WireError: the bytes are not a TensorProto.
    """
    tensor = _read_fields(data, place, end)
    if tensor is None:
        return None
    if tensor.content is not None:
        a, b = tensor.content
        content, dropped = Content(data, a, b - a), {CONTENT}
    else:
        listed = _from_list(data, place, end, tensor)
        content, dropped = Content(listed, 0, len(listed)), tensor.values
    if content.size < minimum:
        return None
    others = (f for f in wire.fields(data, place, end) if f[0] not in dropped)
    return copied(data, others), content
