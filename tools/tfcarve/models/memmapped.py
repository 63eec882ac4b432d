"""TensorFlow's memmapped format: constants, a graph whose ImmutableConst nodes name them, and a directory.

Source: tensorflow/core/util/memmapped_file_system.{h,cc,proto}; attributes: ImmutableConst in core/ops/array_ops.cc.
"""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import replace

from tfcarve.models import wire
from tfcarve.models.node_use import AttrValue, Nodes, NodeUse
from tfcarve.models.wire import BYTES, VARINT, Budget, Buffer, Region, WireError

# Model.format of such a file.
FORMAT = "memmapped"
# Names of regions begin with PREFIX; GRAPH is the name of the graph's region.
PREFIX = b"memmapped_package://"
GRAPH = PREFIX + b"."
CONSTANT = "ImmutableConst"
REGION, SHAPE = "memory_region_name", "shape"
# MemmappedFileSystemDirectory.element and the fields of an element.
ELEMENT, OFFSET, NAME, LENGTH = 1, 1, 2, 3
# Size of the directory's offset, a little-endian number at the end of the file.
OFFSET_SIZE = 8

NOT_A_GRAPH = (
    "is in TensorFlow's memmapped format: pass the frozen GraphDef that it was written from"
)

# First bytes of a GraphDef: tags of its fields.
_GRAPH_TAGS = b"\x0a\x12\x18\x22\x2a"
# Upper bound of the memory of a region, without its name.
_REGION_MEMORY = 300


def _directory(data: Buffer) -> Region | None:
    """Returns the place of the directory; None: the file does not end with one."""
    end = len(data) - OFFSET_SIZE
    start = int.from_bytes(data[max(end, 0) :], "little")
    return (start, end) if start < end and data.find(PREFIX, start, end) >= 0 else None


def is_package(data: Buffer) -> bool:
    """Returns whether a file, which is not empty, is in this format, possibly damaged."""
    if _directory(data) is not None:
        return True
    return data[0] not in _GRAPH_TAGS and data.find(PREFIX) >= 0


def _element(data: Buffer, place: int, end: int) -> tuple[bytes, int, int]:
    """Returns the name, offset and length of a region."""
    name, offset, length = b"", 0, 0
    for number, kind, a, b in wire.fields(data, place, end):
        if number == NAME and kind == BYTES:
            name = bytes(data[a:b])
        elif number == OFFSET and kind == VARINT:
            offset = a
        elif number == LENGTH and kind == VARINT:
            length = a
    if not name.startswith(PREFIX):
        raise WireError(f"byte {place}: the directory is damaged: a region without a name")
    return name, offset, length


def regions(data: Buffer) -> Mapping[bytes, Region]:
    """Returns the regions of a file for which is_package is true, by their names.

    Raises:
      WireError: the directory is damaged, or has no graph.
    """
    directory = _directory(data)
    if directory is None:
        raise WireError(
            "is in TensorFlow's memmapped format, but its directory is missing: it is damaged or cut short"
        )
    place, end = directory
    budget = Budget(end - place)
    found: dict[bytes, Region] = {}
    start = 0  # TensorFlow's reader requires the order of the file, too
    for a, b in wire.contents(data, directory, ELEMENT):
        budget.take(_REGION_MEMORY + b - a)
        name, offset, length = _element(data, a, b)
        shown = name.decode(errors="replace")
        if length == 0 or offset + length > place:
            raise WireError(
                f"region {shown}: is empty or outside of the file: the directory is damaged"
            )
        if offset < start:
            raise WireError(f"region {shown}: overlaps the one before: the directory is damaged")
        if name in found:
            raise WireError(f"region {shown}: is there twice: the directory is damaged")
        found[name] = (offset, offset + length)
        start = offset + length
    if GRAPH not in found:
        raise WireError(f"no region {GRAPH.decode()}: the directory is damaged, or has no graph")
    return found


class RestoredNodes(Nodes):
    """The nodes of a graph, with Const for ImmutableConst."""

    def __init__(self, nodes: Collection[NodeUse], regions: Mapping[bytes, Region]) -> None:
        """Takes the nodes in the graph's region, and all regions."""
        self._nodes = nodes
        self._regions = regions

    def __len__(self) -> int:
        return len(self._nodes)

    def __iter__(self) -> Iterator[NodeUse]:
        """Decodes the nodes.

        Raises:
          WireError: the file does not have a node's region.
        """
        for use in self._nodes:
            yield self._restored(use) if use.op == CONSTANT and not use.function else use

    def _restored(self, use: NodeUse) -> NodeUse:
        attrs = dict(use.attrs)
        region, shape = attrs.pop(REGION, None), attrs.pop(SHAPE, None)
        name = region.value if region is not None and region.kind == "string" else ""
        if name.encode() not in self._regions:
            raise WireError(f"{use.place()}: the file has no region {name!r}")
        dims = shape.value if shape is not None and shape.kind == "shape" else None
        dtype = attrs.get("dtype")
        value = (dtype.value if dtype is not None and dtype.kind == "type" else "", dims)
        return replace(use, op="Const", attrs={**attrs, "value": AttrValue("tensor", value)})
