"""Limits the size of a graph whose functions are inlined. Pure."""

from collections.abc import Callable, Iterable
from typing import Any

from tfcarve.errors import InvalidInput

# If each function calls another one twice, the graph doubles at each level.
_MAX_NODES = 1_000_000
_MAX_DEPTH = 100

# TensorFlow's messages or tfcarve's.
_NodeDef = Any
_FunctionDef = Any
_Called = Callable[[_NodeDef], Iterable[str]]


class _Sizes:
    def __init__(self, functions: Iterable[_FunctionDef], called: _Called) -> None:
        self._functions = {f.signature.name: f for f in functions}
        self._called = called
        self._known: dict[str, int] = {}

    def of_nodes(self, nodes: Iterable[_NodeDef], stack: tuple[str, ...]) -> int:
        """Returns the number of nodes in `nodes` and in all functions that they call."""
        total = 0
        for node in nodes:
            called = (name for name in self._called(node) if name in self._functions)
            total += 1 + sum(self._of_function(name, stack) for name in called)
        return total

    def _of_function(self, name: str, stack: tuple[str, ...]) -> int:
        if name in stack or len(stack) >= _MAX_DEPTH:
            raise InvalidInput(f"function {name!r}: calls itself, or calls are nested too deeply")
        if name not in self._known:
            self._known[name] = self.of_nodes(self._functions[name].node_def, (*stack, name))
        return self._known[name]


def check_inlined_size(
    nodes: Iterable[_NodeDef], functions: Iterable[_FunctionDef], called: _Called
) -> None:
    """Checks that a graph stays small if its functions are inlined; `called` returns the functions that a node calls.

    Raises InvalidInput if a function calls itself, or the graph becomes too large.
    """
    size = _Sizes(functions, called).of_nodes(nodes, ())
    if size > _MAX_NODES:
        raise InvalidInput(f"more than {_MAX_NODES:,} nodes after functions are inlined")
