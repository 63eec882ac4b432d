"""Reads the signatures of a SavedModel or MetaGraph in binary form.

Source of the field numbers: tensorflow/core/protobuf/meta_graph.proto (SignatureDef, TensorInfo).
"""

from collections.abc import Iterator

from tfcarve.models import attr_value, wire
from tfcarve.models.signature_def import Signature, SignatureTensor
from tfcarve.models.wire import BYTES, VARINT, Budget, Buffer

# An upper bound of the memory of an input or output, without its text.
_TENSOR = 500


def _tensors(data: Buffer, place: int, end: int) -> Iterator[str]:
    """Yields the tensors of a TensorInfo: one tensor, the three tensors of a sparse tensor, or the components of a composite tensor."""
    todo = [
        (place, end)
    ]  # composite tensors can be nested; untrusted input must not cause recursion
    while todo:
        for number, kind, a, b in wire.fields(data, *todo.pop()):
            if number == 1 and kind == BYTES:
                yield wire.text(data, a, b)
            elif number in (4, 5) and kind == BYTES:
                for n, k, c, d in wire.fields(data, a, b):
                    if k == BYTES and number == 4 and n in (1, 2, 3):
                        yield wire.text(data, c, d)
                    elif k == BYTES and number == 5 and n == 2:
                        todo.append((c, d))


def _tensor(name: str, data: Buffer, place: int, end: int) -> SignatureTensor:
    """Reads a TensorInfo."""
    dtype, shape = "", None
    for number, kind, a, b in wire.fields(data, place, end):
        if number == 2 and kind == VARINT and a:
            dtype = attr_value.type_name(a)
        elif number == 3 and kind == BYTES:
            shape = attr_value.shape(data, a, b)
    return SignatureTensor(name, tuple(_tensors(data, place, end)), dtype, shape)


def from_binary(data: Buffer, place: int, end: int, budget: Budget) -> tuple[str, Signature]:
    """Reads an entry of MetaGraphDef.signature_def.

    Args:
      data: the buffer that contains it.
      place: where it starts.
      end: where it ends.
      budget: of the whole file.

    Returns:
      The signature's name, and the signature.

    Raises:
      wire.WireError: the bytes are not such an entry.
    """
    name, value = wire.entry(data, place, end)
    sides: dict[int, dict[str, SignatureTensor]] = {1: {}, 2: {}}
    for number, kind, a, b in wire.fields(data, *value) if value else ():
        if number in sides and kind == BYTES:
            budget.take(_TENSOR)
            key, info = wire.entry(data, a, b)
            if info:
                sides[number][key] = _tensor(key, data, *info)
    inputs, outputs = (tuple(side[key] for key in sorted(side)) for side in sides.values())
    return name, Signature(inputs, outputs)
