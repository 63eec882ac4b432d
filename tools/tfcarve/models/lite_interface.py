"""Reads the inputs and outputs of a TensorFlow Lite model: of its first subgraph, and of its signatures.

Source: tensorflow/lite/schema/schema.fbs.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from tfcarve.models import flatbuffer
from tfcarve.models.flatbuffer import Budget, FlatError
from tfcarve.models.signature_def import Signature, SignatureTensor
from tfcarve.models.wire import Buffer

# TensorType by number.
_TYPES = (
    *("float32", "float16", "int32", "uint8", "int64", "string", "bool", "int16"),
    *("complex64", "int8", "float64", "complex128", "uint64", "resource", "variant"),
    *("uint32", "uint16", "int4", "bfloat16"),
)
# No model has as many inputs, outputs or signatures; no tensor as many dimensions.
_MAX_ITEMS, _MAX_DIMENSIONS = 10_000, 254


@dataclass(frozen=True, slots=True)
class LiteInterface:
    """The inputs and outputs of a TensorFlow Lite model.

    Attributes:
      main: the inputs and outputs of the first subgraph, in their order, with the names of tensors.
      signatures: by name.
    """

    main: Signature
    signatures: Mapping[str, Signature]


class _Model:
    def __init__(self, data: Buffer) -> None:
        self._data = data
        self._budget = Budget(len(data))
        self._root = flatbuffer.number(data, 0, "<I")
        self._graphs = list(self._tables(self._root, 2))

    def _tables(self, table: int, index: int) -> Iterator[int]:
        for count, place in enumerate(flatbuffer.tables(self._data, table, index)):
            if count >= _MAX_ITEMS:
                raise FlatError(f"byte {table}: more than {_MAX_ITEMS} parts of one kind: damaged")
            self._budget.take(4)
            yield place

    def _numbers(self, table: int, index: int, most: int) -> tuple[int, ...]:
        start, count = flatbuffer.vector(self._data, table, index, 4)
        if count > most:
            raise FlatError(f"byte {start}: a list of {count} numbers, at most {most} are allowed")
        self._budget.take(4 * count)
        return tuple(flatbuffer.number(self._data, start + 4 * i, "<i") for i in range(count))

    def _number(self, table: int, index: int, form: str) -> int:
        place = flatbuffer.field(self._data, table, index)
        return flatbuffer.number(self._data, place, form) if place else 0

    def _text(self, table: int, index: int) -> str:
        start, end = self._budget.place(self._data, table, index)
        return bytes(self._data[start:end]).decode(errors="replace")

    def _tensor(self, graph: int, number: int, name: str | None = None) -> SignatureTensor:
        start, count = flatbuffer.vector(self._data, graph, 0, 4)
        if not 0 <= number < count:
            raise FlatError(f"byte {graph}: unknown tensor {number}: damaged")
        place = start + 4 * number
        tensor = place + flatbuffer.number(self._data, place, "<I")
        kind = self._number(tensor, 1, "<b")
        own = self._text(tensor, 3)
        # The second list has -1 for each dimension that is unknown.
        shape = self._numbers(tensor, 0, _MAX_DIMENSIONS)
        signature = self._numbers(tensor, 7, _MAX_DIMENSIONS)
        dtype = _TYPES[kind] if 0 <= kind < len(_TYPES) else ""
        return SignatureTensor(own if name is None else name, (own,), dtype, signature or shape)

    def main(self) -> Signature:
        """Returns the inputs and outputs of the first subgraph."""
        if not self._graphs:
            return Signature((), ())
        graph = self._graphs[0]
        inputs, outputs = (
            tuple(self._tensor(graph, n) for n in self._numbers(graph, index, _MAX_ITEMS))
            for index in (1, 2)
        )
        return Signature(inputs, outputs)

    def signatures(self) -> Iterator[tuple[str, Signature]]:
        """Yields the signatures."""
        for found in self._tables(self._root, 7):
            number = self._number(found, 4, "<I")
            if number >= len(self._graphs):
                raise FlatError(f"byte {found}: unknown subgraph {number}: damaged")
            inputs, outputs = (
                tuple(
                    self._tensor(self._graphs[number], self._number(e, 1, "<I"), self._text(e, 0))
                    for e in self._tables(found, index)
                )
                for index in (0, 1)
            )
            yield self._text(found, 2), Signature(inputs, outputs)


def lite_interface(data: Buffer) -> LiteInterface:
    """Returns the inputs and outputs of a TensorFlow Lite model.

    Args:
      data: a model whose beginning was checked (tflite.py).

    Raises:
      FlatError: it is damaged.
    """
    model = _Model(data)
    return LiteInterface(model.main(), dict(sorted(model.signatures())))
