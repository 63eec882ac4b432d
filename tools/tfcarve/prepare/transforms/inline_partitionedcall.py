"""inline_partitionedcall: replaces function calls with the nodes of the function's body.

Source: tensorflow/tools/graph_transforms/inline_partitionedcall.cc. Unlike TensorFlow's tool, it inlines
StatefulPartitionedCall and nested calls too, preserves control dependencies, and removes unused functions.
"""

from collections.abc import Mapping

from tfcarve.errors import InvalidInput
from tfcarve.prepare import functions, nodes
from tfcarve.prepare.context import Context
from tfcarve.prepare.graph import (
    CONTROL,
    Graph,
    Ref,
    control_inputs,
    data_inputs,
    nearest,
    ref,
    rewire,
    set_inputs,
    unique_name,
)
from tfcarve.prepare.messages import AttrValue, FunctionDef, NodeDef

PARAMETERS = frozenset[str]()
IN_FUNCTIONS = False

_CALLS = frozenset(("PartitionedCall", "StatefulPartitionedCall"))
_MOST_NODES = 1_000_000
_DEEPEST = 100


class _Inliner:
    def __init__(self, graph: Graph, context: Context) -> None:
        self._library = {f.signature.name: f for f in graph.library.function}
        self._op_defs = functions.with_functions(context.evaluator.op_defs, graph.library)
        self._transform = context.parameters.transform
        self._kept = context.kept()
        self._folders = {
            node.name[:place]
            for node in graph.nodes
            for place, character in enumerate(node.name)
            if character == "/"
        }
        self.nodes: list[NodeDef] = []
        self.moved: dict[Ref, Ref] = {}
        self.waits: dict[str, list[str]] = {}

    def add(self, node: NodeDef, depth: int = 0) -> None:
        """Adds a node, or the body of the function that it calls."""
        if node.op not in _CALLS or "f" not in node.attr:
            self.nodes.append(node)
            if len(self.nodes) > _MOST_NODES:
                raise InvalidInput(
                    f"{self._transform}: more than {_MOST_NODES:,} nodes after inlining"
                )
            return
        if depth > _DEEPEST:
            raise InvalidInput(
                f"{self._transform}: node {node.name!r}: functions call each other in a cycle"
            )
        function = self._library.get(node.attr["f"].func.name)
        if function is None:
            name = node.attr["f"].func.name
            raise InvalidInput(
                f"{self._transform}: node {node.name!r}: calls {name!r}, which does not exist"
                f"{nearest(name, self._library)}"
            )
        self._inline(node, function, depth)

    def _inline(self, call: NodeDef, function: FunctionDef, depth: int) -> None:
        function = _with_attributes(function, call.attr["f"].func.attr)
        try:
            body, _, _ = functions.body(function, self._op_defs)
        except functions.Unknown as error:
            raise InvalidInput(
                f"{self._transform}: node {call.name!r}: its function has {error}, which is unknown"
            ) from None
        arguments = [arg.name for arg in function.signature.input_arg]
        given = data_inputs(call)
        if len(given) != len(arguments):
            raise InvalidInput(
                f"{self._transform}: node {call.name!r}: {len(given)} inputs for {len(arguments)} arguments"
            )
        args = dict(zip(arguments, given, strict=True))
        before, folder = control_inputs(call), unique_name(call.name, self._folders)
        for node in body.nodes:
            if node.name in args:
                continue
            sources = [_in_call(ref(text), folder, args) for text in node.input]
            if not any(s.node.startswith(f"{folder}/") for s in sources):
                sources += [Ref(name, CONTROL) for name in before]
            node.name = f"{folder}/{node.name}"
            set_inputs(node, sources)
            self.add(node, depth + 1)
        returned = [
            _in_call(functions.flat_return(function, arg.name, self._op_defs), folder, args)
            for arg in function.signature.output_arg
        ]
        self._replace(call, returned, [f"{folder}/{n}" for n in function.control_ret.values()])

    def _replace(self, call: NodeDef, returned: list[Ref], waited: list[str]) -> None:
        if call.name in self._kept and returned:
            dtypes = list(call.attr["Tout"].list.type)
            passing = nodes.make("IdentityN", call.name, returned)
            passing.attr["T"].list.type.extend(dtypes)
            self.nodes.append(passing)
            return
        for output, source in enumerate(returned):
            self.moved[Ref(call.name, output)] = source
        self.waits[call.name] = waited + [source.node for source in returned]


def _in_call(source: Ref, folder: str, args: Mapping[str, Ref]) -> Ref:
    """Converts a tensor of a body to one of the graph."""
    if source.node in args:
        given = args[source.node]
        return Ref(given.node, CONTROL) if source.output == CONTROL else given
    return Ref(f"{folder}/{source.node}", source.output)


def _with_attributes(function: FunctionDef, values: Mapping[str, AttrValue]) -> FunctionDef:
    """Returns a function with the caller's values for attribute placeholders."""
    made = FunctionDef()
    made.CopyFrom(function)
    for node in made.node_def:
        for key in list(node.attr):
            name = node.attr[key].placeholder
            if name and name in values:
                node.attr[key].CopyFrom(values[name])
    return made


def _wait(listed: list[NodeDef], waits: Mapping[str, list[str]]) -> None:
    """Replaces control inputs from a call with control inputs from its results."""
    for node in listed:
        todo, found, seen = control_inputs(node)[::-1], dict[str, None](), set[str]()
        if waits.keys().isdisjoint(todo):
            continue
        while todo:
            name = todo.pop()
            if name not in waits:
                found[name] = None
            elif name not in seen:
                seen.add(name)
                todo += waits[name][::-1]
        set_inputs(node, [*data_inputs(node), *(Ref(name, CONTROL) for name in found)])


def apply(graph: Graph, context: Context) -> Graph:
    """Inlines calls; raises InvalidInput if a function does not exist or calls itself."""
    inliner = _Inliner(graph, context)
    for node in graph.nodes:
        inliner.add(node)
    rewire(inliner.nodes, inliner.moved)
    _wait(inliner.nodes, inliner.waits)
    made = graph.with_nodes(inliner.nodes)
    return Graph(made.nodes, functions.used_functions(made), graph.versions)
