"""The parts of a drawing: boxes for nodes and name scopes, frames around them, and edges. Pure."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from tfcarve.drawing import names
from tfcarve.drawing.op_classes import main_op
from tfcarve.errors import InvalidInput
from tfcarve.models.node_use import NodeUse
from tfcarve.models.outputs import Types
from tfcarve.models.signature_def import node_of
from tfcarve.models.summary import VARIABLES, tensor
from tfcarve.models.values import NO_VALUES, Values, value_of

# Graphviz takes seconds for this number of boxes and edges, and minutes for many more edges.
MAX_BOXES = 2_000
MAX_EDGES = 6_000
# The default depth draws at most this number of boxes: the layers of Inception v3, and not their nodes.
READABLE = 400


@dataclass(frozen=True, slots=True)
class Box:
    """A node, or a name scope with all nodes in it.

    Attributes:
      name: the node's name; a scope's name ends in `/`.
      nodes: number of nodes.
      ops: number of nodes of each op, most frequent first.
      main_op: the op that it is coloured by.
      values: of its constants and variables.
      device: of a node.
      dtype: of a node's first output; "" if it is unknown.
      shape: the shape of a node; None if its attributes do not state it.
    """

    name: str
    nodes: int
    ops: Mapping[str, int]
    main_op: str
    values: Values
    device: str = ""
    dtype: str = ""
    shape: tuple[int, ...] | None = None


@dataclass(frozen=True, slots=True)
class Edge:
    """The inputs of the nodes in the box `target` that are outputs of nodes in the box `source`, or depend on them."""

    source: str
    target: str
    tensors: int
    control: int


@dataclass(frozen=True, slots=True)
class Drawing:
    """A drawing.

    Attributes:
      boxes: by name, in the order of the file.
      frames: the scopes that are open, outermost first; each with the sums of its boxes.
      edges: sorted.
      depth: how many levels of name scopes are drawn.
      scope: the only scope that is drawn, with the boxes that it is connected to; "" for the whole graph.
    """

    boxes: Mapping[str, Box]
    frames: Mapping[str, Box]
    edges: tuple[Edge, ...]
    depth: int
    scope: str


@dataclass(slots=True)
class _Growing:
    """A box that is being filled."""

    ops: Counter[str] = field(default_factory=Counter)
    values: Values = NO_VALUES
    only: NodeUse | None = None

    def add(self, use: NodeUse) -> None:
        self.ops[use.op] += 1
        if use.op == "Const" or use.op in VARIABLES:
            self.values += value_of(use)
        self.only = use


def _sum(found: Iterable[Values]) -> Values:
    rows = list(found)
    return Values(*(sum(getattr(row, name) for row in rows) for name in Values.__struct_fields__))


def _ordered(ops: Mapping[str, int]) -> dict[str, int]:
    return dict(sorted(ops.items(), key=lambda item: (-item[1], item[0])))


def _finished(name: str, growing: _Growing, types: Types | None) -> Box:
    ops = _ordered(growing.ops)
    found = Box(name, sum(ops.values()), ops, main_op(ops), growing.values)
    use = growing.only
    if use is None or use.node != name:
        return found
    shown = tensor(use, types)
    value = use.attrs.get("value")
    dtype, shape = shown.dtype, shown.shape
    if value is not None and value.kind == "tensor":
        dtype, shape = value.value
    return Box(name, found.nodes, ops, found.main_op, found.values, use.device, dtype, shape)


def _frames(boxes: Mapping[str, Box]) -> dict[str, Box]:
    """Returns the scopes around the boxes."""
    inside: dict[str, list[Box]] = {}
    for box in boxes.values():
        for scope in names.scopes(box.name):
            inside.setdefault(scope, []).append(box)
    found = {}
    for scope in sorted(inside, key=lambda name: (name.count("/"), name)):
        counted: Counter[str] = Counter()
        for box in inside[scope]:
            counted.update(box.ops)
        ops = _ordered(counted)
        values = _sum(box.values for box in inside[scope])
        found[scope] = Box(scope, sum(ops.values()), ops, main_op(ops), values)
    return found


def _place(scope: str, depth: int) -> Callable[[str], str]:
    """Returns the function from a node's name to the name of its box."""
    outside = max(scope.count("/"), 1)
    return lambda node: names.box_name(
        node, scope.count("/") + depth if node.startswith(scope) else outside
    )


def _edges(
    uses: Iterable[NodeUse], scope: str, place: Callable[[str], str]
) -> dict[tuple[str, str], list[int]]:
    """Returns the numbers of tensors and control inputs between two boxes. At least one of the boxes is in the scope."""
    found: dict[tuple[str, str], list[int]] = {}
    for use in uses:
        target = place(use.node)
        for text in use.inputs:
            source = place(node_of(text))
            if source == target or not (source.startswith(scope) or target.startswith(scope)):
                continue
            found.setdefault((source, target), [0, 0])[text.startswith("^")] += 1
            if len(found) > 2 * MAX_EDGES:  # some may be from nodes that do not exist
                return found
    return found


def _inside(uses: Iterable[NodeUse], scope: str) -> Iterator[str]:
    """Yields the names of the nodes in a scope, without it."""
    return (use.node[len(scope) :] for use in uses if use.node.startswith(scope))


def _chosen_depth(uses: Iterable[NodeUse], scope: str, wanted: int | None) -> int:
    """Returns the depth to draw; raises InvalidInput if it has too many boxes, or the scope has no nodes."""
    counts = names.box_counts(_inside(uses, scope), MAX_BOXES)
    if not counts[0]:
        raise InvalidInput(
            f"no node is in the scope {scope!r}: without --scope, the drawing shows the scopes"
        )
    if wanted is None:
        readable = [depth for depth, count in enumerate(counts, 1) if count <= READABLE]
        depth = max(readable, default=1)
    else:
        depth = min(wanted, len(counts))
    if counts[depth - 1] <= MAX_BOXES:
        return depth
    fix = "--scope draws only a part, and --tensorboard has no limit"
    if depth > 1:
        most = max(d for d, count in enumerate(counts, 1) if count <= MAX_BOXES)
        fix = f"--depth {most} draws {counts[most - 1]}, --scope only a part"
    raise InvalidInput(
        f"depth {depth} has more than {MAX_BOXES:,} boxes, which is the limit: {fix}"
    )


def drawing(
    uses: Iterable[NodeUse],
    scope: str = "",
    depth: int | None = None,
    types: Types | None = None,
) -> Drawing:
    """Returns the drawing of a graph.

    Args:
      uses: the nodes of the graph, which are iterated over several times.
      scope: the only scope to draw, with a final `/`; "" for the whole graph.
      depth: how many levels of name scopes to draw, at least 1; None: as many as are readable.
      types: the output types of the nodes; None if they are unknown.

    Raises:
      InvalidInput: there are too many boxes or edges, or no node is in the scope.
    """
    chosen = _chosen_depth(uses, scope, depth)
    place = _place(scope, chosen)
    edges = _edges(uses, scope, place)
    connected = {name for pair in edges for name in pair}
    growing: dict[str, _Growing] = {}
    for use in uses:
        name = place(use.node)
        if name.startswith(scope) or name in connected:
            growing.setdefault(name, _Growing()).add(use)
    drawn = tuple(
        Edge(source, target, *counts)
        for (source, target), counts in sorted(edges.items())
        if source in growing and target in growing
    )
    for what, count, limit in (
        ("boxes", len(growing), MAX_BOXES),
        ("edges", len(drawn), MAX_EDGES),
    ):
        if count > limit:
            raise InvalidInput(
                f"depth {chosen} has more than {limit:,} {what}, which is the limit: "
                f"draw less with --depth {max(chosen - 1, 1)} or --scope"
            )
    boxes = {name: _finished(name, box, types) for name, box in growing.items()}
    return Drawing(boxes, _frames(boxes), drawn, chosen, scope)
