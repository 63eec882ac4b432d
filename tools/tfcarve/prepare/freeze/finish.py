"""Converts a program without variables to a graph."""

from collections.abc import Iterable, Iterator
from dataclasses import replace

from tfcarve.errors import InvalidInput
from tfcarve.prepare.freeze.bodies import Body, copied, to_function
from tfcarve.prepare.freeze.inline import Program
from tfcarve.prepare.freeze.ops import CONTROL_FLOW, Ops, functions_of
from tfcarve.prepare.freeze.prune import without_redundant_control_inputs
from tfcarve.prepare.graph.graph import Graph
from tfcarve.prepare.graph.messages import FunctionDefLibrary, GraphDef, NodeDef

# Attributes that name nodes which may no longer exist, or that TensorFlow infers when it imports the graph.
_STRIPPED = ("_class", "_output_shapes", "_read_only_resource_inputs", "_user_specified_name")
_MAX_BYTES = (1 << 31) - 1


def _is_plain(node: NodeDef) -> bool:
    """Returns whether a node has nothing to strip."""
    extras = ("experimental_debug_info", "experimental_type")
    return not (
        node.device or any(map(node.HasField, extras)) or any(k in node.attr for k in _STRIPPED)
    )


class _Finisher:
    def __init__(self, program: Program, ops: Ops) -> None:
        self._program = program
        self._ops = ops
        self.functions: dict[str, Body] = {}

    def has_side_effects(self, node: NodeDef) -> bool:
        """Returns whether running a finished node has side effects."""
        return self._ops.is_stateful(node)

    def _node(self, node: NodeDef) -> NodeDef:
        if node.op == "Const" and _is_plain(node):
            return node  # not copied: it may be most of the model
        created = copied(node)
        created.device = ""
        created.ClearField("experimental_debug_info")
        created.ClearField("experimental_type")
        for key in _STRIPPED:
            created.attr.pop(key, None)
        if node.op in CONTROL_FLOW:
            bodies = [self._function(function.name) for function in functions_of(node)]
            has_effects = any(
                self.has_side_effects(inner) for body in bodies for inner in body.nodes
            )
            if not has_effects and not node.op.startswith("Stateless"):
                created.op = f"Stateless{node.op}"
        return created

    def _function(self, name: str) -> Body:
        if name not in self.functions:
            self.functions[name] = self.body(self._program.functions[name])
        return self.functions[name]

    def body(self, body: Body, keep: Iterable[str] = ()) -> Body:
        """Returns `body` with its nodes in their final form, without unneeded nodes except the nodes `keep`."""
        created = replace(body, nodes=tuple(map(self._node, body.nodes)))
        return without_redundant_control_inputs(created, self.has_side_effects, keep)


def _uses(nodes: Iterable[NodeDef]) -> Iterator[str]:
    for node in nodes:
        if node.op in CONTROL_FLOW:
            yield from (function.name for function in functions_of(node))


def graph(program: Program, inputs: Iterable[str], source: GraphDef, ops: Ops) -> Graph:
    """Returns `program` as a graph.

    Args:
      program: the frozen program.
      inputs: names of Placeholders, which stay whether they are used or not.
      source: the graph before it was frozen, for its versions.
      ops: the OpDefs.
    Raises InvalidInput if it does not fit into a GraphDef.
    """
    names = tuple(inputs)
    finisher = _Finisher(program, ops)
    main = finisher.body(program.main, names)
    library = FunctionDefLibrary()
    todo, seen = list(_uses(main.nodes)), set()
    while todo:
        name = todo.pop(0)
        if name not in seen:
            seen.add(name)
            body = finisher.functions[name]
            library.function.append(to_function(name, body, ops))
            todo += _uses(body.nodes)
    size = library.ByteSize() + sum(node.ByteSize() for node in main.nodes)
    if size > _MAX_BYTES:
        raise InvalidInput(
            f"the frozen graph has {size:,} bytes: a GraphDef must be smaller than 2 GiB"
        )
    versions = GraphDef(versions=source.versions).SerializeToString(deterministic=True)
    return Graph(list(main.nodes), library, versions)
