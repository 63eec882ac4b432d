"""Limits the size of a graph whose functions are inlined. Pure."""

from collections.abc import Iterable, Iterator

from tfcarve.errors import InvalidInput
from tfcarve.prepare.freeze.ops import FunctionDef, NodeDef, functions_of

# If each function calls another one twice, the graph doubles at each level.
_MAX_NODES = 1_000_000
_MAX_DEPTH = 100


class _Sizes:
    def __init__(self, functions: Iterable[FunctionDef]) -> None:
        self._functions = {f.signature.name: f for f in functions}
        self._known: dict[str, int] = {}

    def _called(self, node: NodeDef) -> Iterator[str]:
        if node.op in self._functions:
            yield node.op
        yield from (function.name for function in functions_of(node))

    def of_nodes(self, nodes: Iterable[NodeDef], stack: tuple[str, ...]) -> int:
        """Returns the number of nodes in `nodes` and in all functions that they call."""
        total = 0
        for node in nodes:
            total += 1 + sum(self._of_function(name, stack) for name in self._called(node))
        return total

    def _of_function(self, name: str, stack: tuple[str, ...]) -> int:
        if name in stack or len(stack) >= _MAX_DEPTH:
            raise InvalidInput(f"function {name!r}: calls itself, or calls are nested too deeply")
        if name not in self._known:
            function = self._functions.get(name)
            nodes = function.node_def if function is not None else ()
            self._known[name] = self.of_nodes(nodes, (*stack, name))
        return self._known[name]


def check_inlined_size(nodes: Iterable[NodeDef], functions: Iterable[FunctionDef]) -> None:
    """Raises InvalidInput if a function calls itself, or inlining `functions` makes the graph too large."""
    size = _Sizes(functions).of_nodes(nodes, ())
    if size > _MAX_NODES:
        raise InvalidInput(f"more than {_MAX_NODES:,} nodes after functions are inlined")
