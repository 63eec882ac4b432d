"""A GraphDef as a file in TensorFlow's memmapped format, with its large constants outside of the graph. Pure.

Source: tensorflow/core/util/memmapped_file_system.{h,proto} and memmapped_file_system_writer.cc; the attributes of
ImmutableConst: core/ops/array_ops.cc.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from tfcarve import dtypes
from tfcarve.emit.constant_node import (
    ALIGNMENT,
    ATTR,
    KEY,
    NODE,
    OP,
    VALUE,
    ConstantNode,
    Piece,
    constant_node,
    content_pieces,
)
from tfcarve.emit.tensor_content import DTYPE, SHAPE, elements
from tfcarve.models import memmapped, wire
from tfcarve.models.wire import BYTES, VARINT, Buffer, Field
from tfcarve.models.wire_write import bytes_field, copied, tag, varint

# Fields of AttrValue.
_STRING_VALUE, _SHAPE_VALUE = 2, 7


@dataclass(frozen=True, slots=True)
class _Region:
    """A part of the file."""

    name: bytes
    offset: int
    length: int

    def element(self) -> bytes:
        """Returns the element of the directory for this part, in wire format."""
        message = b"".join(
            (
                tag(memmapped.OFFSET, VARINT) + varint(self.offset),
                bytes_field(memmapped.NAME, self.name),
                tag(memmapped.LENGTH, VARINT) + varint(self.length),
            )
        )
        return bytes_field(memmapped.ELEMENT, message)


def _shape(node: ConstantNode) -> bytes | None:
    """Returns the shape of a constant, a TensorShapeProto; None: its content does not have that many elements."""
    tensor = node.tensor
    fields = list(wire.fields(tensor, 0, len(tensor)))
    numbers = [a for number, kind, a, _ in fields if number == DTYPE and kind == VARINT]
    shapes = [(a, b) for number, kind, a, b in fields if number == SHAPE and kind == BYTES]
    if len(numbers) != 1 or len(shapes) != 1:
        return None
    size = dtypes.byte_size(dtypes.from_number(numbers[0]) or "")
    count = elements(tensor, *shapes[0], node.content.size)
    if size is None or count is None or count * size != node.content.size:
        return None
    a, b = shapes[0]
    return tensor[a:b]


def _attribute(name: str, number: int, value: bytes) -> bytes:
    """Returns the field of a NodeDef for an attribute whose AttrValue has the BYTES field `number`."""
    attr = bytes_field(number, value)
    return bytes_field(ATTR, bytes_field(KEY, name.encode()) + bytes_field(VALUE, attr))


def _immutable(node: ConstantNode, shape: bytes, region: bytes) -> bytes:
    """Returns the field of a GraphDef for a constant that is in a region."""
    rest = node.before + node.after
    op = bytes_field(OP, memmapped.CONSTANT.encode())
    fields = [op if f[0] == OP else copied(rest, [f]) for f in wire.fields(rest, 0, len(rest))]
    shape_attribute = _attribute(memmapped.SHAPE, _SHAPE_VALUE, shape)
    region_attribute = _attribute(memmapped.REGION, _STRING_VALUE, region)
    message = b"".join((*fields, shape_attribute, region_attribute))
    return bytes_field(NODE, message)


class _Package:
    """The file while it is written: the fields of its graph and its regions."""

    def __init__(self, data: Buffer) -> None:
        self._data = data
        self._graph: list[bytes] = []
        self._regions: list[_Region] = []
        self._offset = 0

    def start(self) -> Piece:
        """Returns the first bytes: zeros. No GraphDef starts with zeros, so readers can tell a truncated file from a GraphDef."""
        self._offset = ALIGNMENT
        return Piece(bytes(ALIGNMENT))

    def add(self, field: Field) -> Iterator[Piece]:
        """Adds a field of the GraphDef; yields the content of a constant."""
        number, kind, a, b = field
        node = constant_node(self._data, a, b) if number == NODE and kind == BYTES else None
        shape = _shape(node) if node else None
        if node is None or shape is None:
            self._graph.append(copied(self._data, [field]))
            return
        name = memmapped.PREFIX + b"constant_%d" % len(self._regions)
        yield Piece(bytes(-self._offset % ALIGNMENT))
        self._offset += -self._offset % ALIGNMENT
        yield from content_pieces(node.content)
        self._add_region(name, node.content.size)
        self._graph.append(_immutable(node, shape, name))

    def _add_region(self, name: bytes, size: int) -> None:
        self._regions.append(_Region(name, self._offset, size))
        self._offset += size

    def end(self) -> Iterator[Piece]:
        """Yields the graph and the directory."""
        graph = b"".join(self._graph)
        yield Piece(graph)
        self._add_region(memmapped.GRAPH, len(graph))
        yield Piece(b"".join(region.element() for region in self._regions))
        yield Piece(self._offset.to_bytes(memmapped.OFFSET_SIZE, "little"))


def package(data: Buffer) -> Iterator[Piece]:
    """Yields the file for a GraphDef: its constants of at least LARGE bytes become ImmutableConst nodes.

    Nodes of functions are unchanged, and so are constants whose content does not match their type and shape.

    Args:
      data: a GraphDef with a node that models.graph_def has read without error.

    Raises:
      wire.WireError: a constant is damaged.
    """
    written = _Package(data)
    file_pass = wire.Pass(data)
    yield written.start()
    for field in wire.fields(data, 0, len(data)):
        yield from written.add(field)
        if field[1] == BYTES:
            file_pass.at(field[3])
    yield from written.end()
