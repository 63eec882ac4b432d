"""inline_partitionedcall: replaces function calls with the nodes of the function's body.

Source: tensorflow/tools/graph_transforms/inline_partitionedcall.cc. Unlike TensorFlow's tool, it inlines
StatefulPartitionedCall and nested calls too, preserves control dependencies, and removes unused functions.
"""

from collections.abc import Mapping, Sequence

from tfcarve.errors import InvalidInput
from tfcarve.nearest import nearest
from tfcarve.prepare import functions, nodes
from tfcarve.prepare.context import Context
from tfcarve.prepare.control_flow import OPENING
from tfcarve.prepare.graph import (
    CONTROL,
    Graph,
    Ref,
    control_inputs,
    data_inputs,
    ref,
    rewire,
    set_inputs,
    topological_order,
    unique_name,
)
from tfcarve.prepare.inlined_size import check_inlined_size
from tfcarve.prepare.liveness import Liveness
from tfcarve.prepare.messages import AttrValue, FunctionDef, NodeDef

PARAMETERS = frozenset[str]()
IN_FUNCTIONS = False

_CALLS = frozenset(("PartitionedCall", "StatefulPartitionedCall"))


def _called(node: NodeDef) -> tuple[str, ...]:
    """Returns the name of the function that a node calls, if it is a call to inline."""
    return (node.attr["f"].func.name,) if node.op in _CALLS and "f" in node.attr else ()


class _Inliner:
    """Replaces the calls of a graph, but no calls in the bodies of their functions."""

    def __init__(self, graph: Graph, context: Context) -> None:
        self._library = {f.signature.name: f for f in graph.library.function}
        self._op_defs = functions.with_functions(context.evaluator.op_defs, graph.library)
        self._transform = context.parameters.transform
        self._preserved = context.preserved()
        has_branches = any(node.op in OPENING for node in graph.nodes)
        self._liveness = Liveness(topological_order(graph)) if has_branches else None
        self._prefixes = {
            node.name[:index]
            for node in graph.nodes
            for index, character in enumerate(node.name)
            if character == "/"
        }
        self.nodes: list[NodeDef] = []
        self.replacements: dict[Ref, Ref] = {}
        self.call_results: dict[str, list[str]] = {}

    def add(self, node: NodeDef) -> None:
        """Adds a node, or the body of the function that it calls."""
        if not _called(node):
            self.nodes.append(node)
            return
        function = self._library.get(node.attr["f"].func.name)
        if function is None:
            name = node.attr["f"].func.name
            raise InvalidInput(
                f"{self._transform}: node {node.name!r}: calls {name!r}, which does not exist"
                f"{nearest(name, self._library)}"
            )
        self._inline(node, function)

    def _inline(self, call: NodeDef, function: FunctionDef) -> None:
        function = _with_attributes(function, call.attr["f"].func.attr)
        try:
            body, _, _ = functions.body(function, self._op_defs)
        except functions.UnsupportedBody as error:
            raise InvalidInput(
                f"{self._transform}: node {call.name!r}: its function has {error}, which is unknown"
            ) from None
        arguments = [arg.name for arg in function.signature.input_arg]
        inputs = data_inputs(call)
        if len(inputs) != len(arguments):
            raise InvalidInput(
                f"{self._transform}: node {call.name!r}: {len(inputs)} inputs for {len(arguments)} arguments"
            )
        args = dict(zip(arguments, inputs, strict=True))
        before, prefix = control_inputs(call), unique_name(call.name, self._prefixes)
        runs = unique_name("runs", {node.name for node in body.nodes})
        place = self._place(call, body.nodes[: len(arguments)], f"{prefix}/{runs}")
        for node in body.nodes:
            if node.name in args:
                continue
            sources = [_in_call(ref(text), prefix, args) for text in node.input]
            if not sources:
                sources += place
            if not any(s.node.startswith(f"{prefix}/") for s in sources):
                sources += [Ref(name, CONTROL) for name in before]
            node.name = f"{prefix}/{node.name}"
            set_inputs(node, sources)
            self.nodes.append(node)
        returned = [
            _in_call(functions.result_ref(function, arg.name, self._op_defs), prefix, args)
            for arg in function.signature.output_arg
        ]
        after = [f"{prefix}/{n}" for n in function.control_ret.values()]
        self._replace(call, returned, [*after, *(source.node for source in place)])

    def _place(self, call: NodeDef, arguments: Sequence[NodeDef], name: str) -> list[Ref]:
        """Returns the control inputs with which a node runs if and only if a call does.

        Adds an IdentityN called `name` if no other node can be their source.

        Args:
          call: the call.
          arguments: Placeholders for its arguments.
          name: an unused name.
        """
        if self._liveness is None:
            return []
        if not arguments:
            return [Ref(above, CONTROL) for above in control_inputs(call)]
        found = self._liveness.stand_ins([ref(text) for text in call.input], (), ())
        if found is None:
            self.nodes.append(nodes.make("IdentityN", name, map(ref, call.input)))
            self.nodes[-1].attr["T"].list.type.extend(nodes.dtype(a, "dtype") for a in arguments)
            found = [name]
        return [Ref(above, CONTROL) for above in found]

    def _replace(self, call: NodeDef, returned: list[Ref], control_results: list[str]) -> None:
        if call.name in self._preserved and returned:
            dtypes = list(call.attr["Tout"].list.type)
            passing = nodes.make("IdentityN", call.name, returned)
            passing.attr["T"].list.type.extend(dtypes)
            self.nodes.append(passing)
            return
        for output, source in enumerate(returned):
            self.replacements[Ref(call.name, output)] = source
        self.call_results[call.name] = control_results + [source.node for source in returned]


def _in_call(source: Ref, prefix: str, args: Mapping[str, Ref]) -> Ref:
    """Converts a tensor of a body to one of the graph."""
    if source.node in args:
        argument = args[source.node]
        return Ref(argument.node, CONTROL) if source.output == CONTROL else argument
    return Ref(f"{prefix}/{source.node}", source.output)


def _with_attributes(function: FunctionDef, values: Mapping[str, AttrValue]) -> FunctionDef:
    """Returns a function with the caller's values for attribute placeholders."""
    created = FunctionDef()
    created.CopyFrom(function)
    for node in created.node_def:
        for key in list(node.attr):
            name = node.attr[key].placeholder
            if name and name in values:
                node.attr[key].CopyFrom(values[name])
    return created


def _rewire_control_inputs(listed: list[NodeDef], results: Mapping[str, list[str]]) -> None:
    """Replaces control inputs from a call with control inputs from its results."""
    for node in listed:
        todo, found, seen = control_inputs(node)[::-1], dict[str, None](), set[str]()
        if results.keys().isdisjoint(todo):
            continue
        while todo:
            name = todo.pop()
            if name not in results:
                found[name] = None
            elif name not in seen:
                seen.add(name)
                todo += results[name][::-1]
        set_inputs(node, [*data_inputs(node), *(Ref(name, CONTROL) for name in found)])


def apply(graph: Graph, context: Context) -> Graph:
    """Inlines calls; raises InvalidInput if a function does not exist or calls itself, or the graph becomes too large."""
    check_inlined_size(graph.nodes, graph.library.function, _called)
    while any(map(_called, graph.nodes)):
        inliner = _Inliner(graph, context)
        for node in graph.nodes:
            inliner.add(node)
        rewire(inliner.nodes, inliner.replacements)
        _rewire_control_inputs(inliner.nodes, inliner.call_results)
        graph = graph.with_nodes(inliner.nodes)
    return Graph(graph.nodes, functions.used_functions(graph), graph.versions)
