"""Reads the TensorFlow ops (Flex ops) in TensorFlow Lite models.

A Flex op is a custom operator whose options are a FlexBuffer of two strings: the op's name and its NodeDef.
Source: tensorflow/compiler/mlir/lite/schema/schema.fbs, tensorflow/lite/tools/list_flex_ops.cc, flexbuffers.h of
FlatBuffers.
"""

from array import array
from collections.abc import Iterator

from tfcarve.models import flatbuffer, graph_def, wire
from tfcarve.models.flatbuffer import FlatError
from tfcarve.models.node_use import Nodes, NodeUse
from tfcarve.models.wire import Buffer


def _two_strings(options: bytes) -> tuple[bytes, bytes]:
    """Reads a FlexBuffer whose root is a vector (typed or not) that starts with two strings."""
    if len(options) < 3:
        raise FlatError("the options have less than three bytes")
    width, packed = options[-1], options[-2]
    kind, child = packed >> 2, 1 << (packed & 3)
    if width not in (1, 2, 4, 8) or kind not in (
        10,
        15,
    ):  # FBT_VECTOR, FBT_VECTOR_STRING_DEPRECATED
        raise FlatError("the options are not a list")

    def unsigned(place: int, size: int) -> int:
        if place < 0 or place + size > len(options):
            raise FlatError("the options have an offset outside them")
        return int.from_bytes(options[place : place + size], "little")

    root = len(options) - 2 - width
    vector = root - unsigned(root, width)
    count = unsigned(vector - child, child)
    if count < 2:
        raise FlatError("the options are a list of less than two items")
    found = []
    for i in range(2):
        place = vector + i * child
        item = unsigned(vector + count * child + i, 1) if kind == 10 else 5 << 2
        if item >> 2 != 5:  # FBT_STRING
            raise FlatError("the options are not strings")
        text = place - unsigned(place, child)
        size = 1 << (item & 3)
        length = unsigned(text - size, size)
        if text < 0 or text + length > len(options):
            raise FlatError("the options have a string outside them")
        found.append(options[text : text + length])
    return found[0], found[1]


class FlexOps(Nodes):
    """The nodes in the Flex ops of a model."""

    def __init__(self, data: Buffer, model: str) -> None:
        """Starts without nodes."""
        self._data = data
        self._model = model
        # For each node: start and end of the options, index of the subgraph, index of the operator.
        self._places = array("Q")

    def add(self, place: int, end: int, graph: int, operator: int) -> None:
        """Adds the node of the operator whose options are data[place:end]."""
        self._places.extend((place, end, graph, operator))

    def __len__(self) -> int:
        return len(self._places) // 4

    def __iter__(self) -> Iterator[NodeUse]:
        numbers = iter(self._places)
        for place, end, graph, operator in zip(numbers, numbers, numbers, numbers, strict=True):
            options = bytes(self._data[place:end])
            yield _flex_op(options, self._model, _where(operator, graph))


def _where(operator: int, graph: int) -> str:
    return f"operator {operator} of subgraph {graph}"


def flex_ops(data: Buffer, model: str) -> FlexOps:
    """Returns the TensorFlow ops in a TensorFlow Lite model, which may have none.

    Raises:
      FlatError: the bytes are not such a model, or an op in it is damaged.
    """
    if len(data) < 8 or bytes(data[4:8]) != b"TFL3":
        raise FlatError("does not have TFL3 at byte 4: not a TensorFlow Lite model")
    budget = flatbuffer.Budget(len(data))
    root = flatbuffer.number(data, 0, "<I")
    flex = bytearray()  # for each operator code, whether it is the code of a Flex op
    for code in flatbuffer.tables(data, root, 1):
        place, end = budget.place(data, code, 1)
        flex.append(data[place : min(end, place + 4)] == b"Flex")
    nodes = FlexOps(data, model)
    for graph_number, graph in enumerate(flatbuffer.tables(data, root, 2)):
        for number, operator in enumerate(flatbuffer.tables(data, graph, 3)):
            budget.take(4)
            index_place = flatbuffer.field(data, operator, 0)
            index = flatbuffer.number(data, index_place, "<I") if index_place else 0
            if index >= len(flex):
                raise FlatError(
                    f"{_where(number, graph_number)}: unknown operator code {index}: damaged"
                )
            if flex[index]:
                place, end = budget.place(data, operator, 5)
                _flex_op(bytes(data[place:end]), model, _where(number, graph_number))
                nodes.add(place, end, graph_number, number)
    return nodes


def _flex_op(options: bytes, model: str, where: str) -> NodeUse:
    try:
        raw_name, node_def = _two_strings(options)
        node = graph_def.node(node_def, 0, len(node_def), model, "")
    except (FlatError, wire.WireError) as error:
        raise FlatError(f"{where}: its custom options have no NodeDef: {error}") from None
    name = raw_name.decode(errors="replace")
    if node.op != name:
        raise FlatError(f"{where}: has the name {name!r} but a node of the op {node.op!r}")
    return NodeUse(
        model,
        "",
        node.node or f"{where} (Flex{name})",
        node.op,
        node.device,
        node.attrs,
        node.inputs,
    )
