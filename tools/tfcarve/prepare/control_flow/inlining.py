"""Replaces nodes that call a function with the nodes of the function's body.

Source of the semantics of a call: tensorflow/core/common_runtime/inline_function_utils.h.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from tfcarve.control_flow import OPENING
from tfcarve.errors import InvalidInput
from tfcarve.nearest import nearest
from tfcarve.prepare.context import Context
from tfcarve.prepare.control_flow.liveness import Liveness
from tfcarve.prepare.graph import functions, nodes
from tfcarve.prepare.graph.graph import (
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
from tfcarve.prepare.graph.messages import AttrValue, FunctionDef, NameAttrList, NodeDef


@dataclass(frozen=True, slots=True)
class Call:
    """A call to inline.

    Attributes:
      function: the function.
      arguments: its arguments, which are the last data inputs of the node.
      selector: the type of the data input before them, if there is one; otherwise 0.
    """

    function: NameAttrList
    arguments: Sequence[Ref]
    selector: int = 0


# Returns the call that a node makes, or None if the node stays.
CallOf = Callable[[NodeDef], Call | None]


class _Inliner:
    """Replaces the calls of a graph, but not the calls in the bodies of their functions."""

    def __init__(self, graph: Graph, context: Context, call_of: CallOf) -> None:
        self._library = {f.signature.name: f for f in graph.library.function}
        self._op_defs = functions.with_functions(context.evaluator.op_defs, graph.library)
        self._transform = context.parameters.transform
        self._preserved = context.preserved()
        self._call_of = call_of
        has_branches = any(node.op in OPENING for node in graph.nodes)
        self._liveness = Liveness(topological_order(graph)) if has_branches else None
        self._taken = {node.name for node in graph.nodes}
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
        call = self._call_of(node)
        if call is None:
            self.nodes.append(node)
            return
        function = self._library.get(call.function.name)
        if function is None:
            name = call.function.name
            raise InvalidInput(
                f"{self._transform}: node {node.name!r}: calls {name!r}, which does not exist"
                f"{nearest(name, self._library)}"
            )
        self._inline(node, call, function)

    def _inline(self, node: NodeDef, call: Call, function: FunctionDef) -> None:
        function = _with_attributes(function, call.function.attr)
        try:
            body, _, _ = functions.body(function, self._op_defs)
        except functions.UnsupportedBody as error:
            raise InvalidInput(
                f"{self._transform}: node {node.name!r}: its function has {error}, which is unknown"
            ) from None
        arguments = [arg.name for arg in function.signature.input_arg]
        if len(call.arguments) != len(arguments):
            raise InvalidInput(
                f"{self._transform}: node {node.name!r}: {len(call.arguments)} inputs for {len(arguments)} arguments"
            )
        args = dict(zip(arguments, call.arguments, strict=True))
        before, prefix = control_inputs(node), unique_name(node.name, self._prefixes)
        runs = unique_name("runs", {inner.name for inner in body.nodes})
        types = [nodes.dtype(argument, "dtype") for argument in body.nodes[: len(arguments)]]
        types = [call.selector, *types] if call.selector else types
        place = self._place(node, types, f"{prefix}/{runs}")
        for inner in body.nodes:
            if inner.name in args:
                continue
            sources = [_in_call(ref(text), prefix, args) for text in inner.input]
            if not sources:
                sources += place
            if not any(s.node.startswith(f"{prefix}/") for s in sources):
                sources += [Ref(name, CONTROL) for name in before]
            inner.name = f"{prefix}/{inner.name}"
            set_inputs(inner, sources)
            self.nodes.append(inner)
        returned = [
            _in_call(functions.result_ref(function, arg.name, self._op_defs), prefix, args)
            for arg in function.signature.output_arg
        ]
        effects = [Ref(f"{prefix}/{n}", CONTROL) for n in function.control_ret.values()]
        self._replace(node, returned, effects, place)

    def _place(self, node: NodeDef, types: Sequence[int], name: str) -> list[Ref]:
        """Returns the control inputs with which a node runs if and only if a call runs.

        Adds an IdentityN called `name` if no other node can be their source.

        Args:
          node: the node that calls.
          types: the types of its data inputs.
          name: an unused name.
        """
        if self._liveness is None:
            return []
        if not types:
            return [Ref(above, CONTROL) for above in control_inputs(node)]
        found = self._liveness.stand_ins([ref(text) for text in node.input], (), ())
        if found is None:
            self.nodes.append(nodes.make("IdentityN", name, map(ref, node.input)))
            self.nodes[-1].attr["T"].list.type.extend(types)
            found = [name]
        return [Ref(above, CONTROL) for above in found]

    def _replace(
        self,
        node: NodeDef,
        returned: list[Ref],
        effects: Sequence[Ref],
        place: Sequence[Ref],
    ) -> None:
        """Replaces the results of a call.

        Args:
          node: the node that calls.
          returned: the tensors that its function returns.
          effects: control dependencies on the side effects of the function.
          place: control dependencies with which a node runs if and only if the call runs.
        """
        dtypes = list(node.attr["Tout"].list.type)
        if node.name in self._preserved and returned:
            passing = nodes.make("IdentityN", node.name, [*returned, *effects])
            passing.attr["T"].list.type.extend(dtypes)
            self.nodes.append(passing)
            return
        if effects:
            returned = [
                self._after(node, source, dtype, effects)
                for source, dtype in zip(returned, dtypes, strict=True)
            ]
        for output, source in enumerate(returned):
            self.replacements[Ref(node.name, output)] = source
        self.call_results[node.name] = [s.node for s in (*effects, *place, *returned)]

    def _after(self, node: NodeDef, source: Ref, dtype: int, effects: Sequence[Ref]) -> Ref:
        """Adds an Identity of a result that runs after the side effects of the function."""
        name = unique_name(f"{node.name}/result", self._taken)
        passing = nodes.make("Identity", name, [source, *effects], T=nodes.type_value(dtype))
        self.nodes.append(passing)
        return Ref(name)


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


def inlined(graph: Graph, context: Context, call_of: CallOf) -> Graph:
    """Returns `graph` with the bodies of functions in place of the nodes that call them; all functions stay.

    The calls in these bodies stay.

    Args:
      graph: a graph and its functions.
      context: its inputs and outputs, whose names stay, and the OpDefs.
      call_of: returns the call that a node makes.

    Raises:
      InvalidInput: a function does not exist, is damaged or has other arguments.
    """
    inliner = _Inliner(graph, context, call_of)
    for node in graph.nodes:
        inliner.add(node)
    rewire(inliner.nodes, inliner.replacements)
    _rewire_control_inputs(inliner.nodes, inliner.call_results)
    return graph.with_nodes(inliner.nodes)
