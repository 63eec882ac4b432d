"""Inlines function calls, so that only control flow has functions.

Source of the semantics of a call (attributes, control inputs, side effects):
tensorflow/core/common_runtime/inline_function_utils.h.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from tfcarve.errors import InvalidInput
from tfcarve.models.node_names import Names, as_node_name
from tfcarve.prepare.control_flow.inlined_size import check_inlined_size
from tfcarve.prepare.freeze.bodies import Body, copied, from_function
from tfcarve.prepare.freeze.ops import (
    CALLS,
    CONTROL_FLOW,
    Ops,
    functions_of,
    is_pipeline,
)
from tfcarve.prepare.freeze.prune import (
    has_side_effects,
    pruned,
    without_redundant_control_inputs,
)
from tfcarve.prepare.freeze.splice import Spliced
from tfcarve.prepare.graph.messages import FunctionDef, NameAttrList, NodeDef


@dataclass(frozen=True, slots=True)
class Program:
    """A graph and the functions of its control flow.

    Attributes:
      main: the graph.
      functions: by name; exactly one attribute of one node refers to each.
    """

    main: Body
    functions: Mapping[str, Body]


class _Inliner:
    def __init__(self, functions: Iterable[FunctionDef], ops: Ops) -> None:
        self._functions = {f.signature.name: f for f in functions}
        self.ops = ops
        self.created: dict[str, Body] = {}
        self._names = Names(())

    def _called(self, node: NodeDef) -> NameAttrList | None:
        """Returns the NameAttrList of the function that `node` calls, or None."""
        if node.op in CALLS:
            return node.attr["f"].func
        if node.op in self._functions:
            return NameAttrList(name=node.op, attr=node.attr)
        return None

    def _body(self, called: NameAttrList, caller: NodeDef, path: str) -> Body:
        function = self._functions.get(called.name)
        if function is None:
            raise InvalidInput(
                f"node {caller.name!r}: calls the function {called.name!r}, which the graph does not have"
            )
        body = pruned(from_function(function, called.attr, self.ops))
        return self.expanded(body, path)

    def _with_own_functions(self, node: NodeDef, path: str) -> NodeDef:
        """Returns a control flow node that refers to its own copies of functions."""
        created = copied(node)
        for role in CONTROL_FLOW[node.op]:
            value = created.attr[role]
            for function in [value.func] if value.HasField("func") else value.list.func:
                base = as_node_name(f"{path}{node.name}_{role}").replace("/", "_")
                name = self._names.unique(base)
                self.created[name] = self._body(function, node, f"{name}_")
                function.Clear()
                function.name = name
        return created

    def has_side_effects(self, node: NodeDef) -> bool:
        """Returns whether running a node has side effects."""
        return has_side_effects(node, self.created, self.ops)

    def expanded(self, body: Body, path: str, keep: Sequence[str] = ()) -> Body:
        """Returns `body` without calls and without unneeded nodes except the nodes `keep`."""
        spliced = Spliced(body)
        for node in body.nodes:
            called = self._called(node)
            if called is not None:
                spliced.add(node, self._body(called, node, path), self.ops)
            elif node.op in CONTROL_FLOW:
                spliced.nodes.append(self._with_own_functions(node, path))
            elif any(True for _ in functions_of(node)) and not is_pipeline(node.op):
                raise InvalidInput(
                    f"node {node.name!r}: {node.op} refers to a function: only calls, While, If and Case can be frozen"
                )
            else:
                spliced.nodes.append(node)
        return without_redundant_control_inputs(spliced.resolve(body), self.has_side_effects, keep)


def _called(node: NodeDef) -> Iterator[str]:
    """Yields the names of the functions that a node may call."""
    yield node.op
    yield from (function.name for function in functions_of(node))


def inlined(
    main: Body, functions: Sequence[FunctionDef], inputs: Sequence[str], ops: Ops
) -> Program:
    """Returns the graph `main` with all calls of `functions`, whose OpDefs are in `ops`, inlined.

    Unneeded nodes are removed, except the nodes `inputs`. Each control flow node gets its own copies of its functions,
    named after the node.

    Raises InvalidInput if a function is damaged, does not exist or calls itself, or the graph becomes too large.
    """
    check_inlined_size(main.nodes, functions, _called)
    inliner = _Inliner(functions, ops)
    return Program(inliner.expanded(main, "", inputs), inliner.created)
