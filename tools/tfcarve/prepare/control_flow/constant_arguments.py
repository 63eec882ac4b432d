"""Passes constant bools, which may decide conditions, into the functions of control flow.

Source of the order of inputs: tensorflow/core/ops/functional_ops.cc.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping

from tfcarve.prepare.control_flow import predicates
from tfcarve.prepare.graph import functions, nodes
from tfcarve.prepare.graph.graph import Graph, data_texts, unique_name
from tfcarve.prepare.graph.messages import FunctionDef, NodeDef

_WHILES = frozenset(("StatelessWhile", "While"))
_PASS_THROUGH = frozenset(("Enter", "Exit", "Identity", "Switch"))
_BOOL = 10

_Nodes = Mapping[str, NodeDef]


def _name(text: str) -> str:
    """Returns the node of an input: "a", "a:1" in a graph, "a:output:0" in a function."""
    return text.partition(":")[0]


def _constant(text: str, known: _Nodes, fed: Collection[str]) -> NodeDef | None:
    """Returns the Const that an input gets its value from, if it is a single bool."""
    node = known.get(_name(text))
    for _ in known:
        if node is None or node.name in fed or node.op not in _PASS_THROUGH or not node.input:
            break
        node = known.get(_name(node.input[0]))
    if node is None or node.name in fed or node.op != "Const":
        return None
    return node if nodes.dtype(node, "dtype") == _BOOL and not nodes.shape(node) else None


def _returns_argument(function: FunctionDef, number: int) -> bool:
    """Returns whether the result with a number is the argument with that number."""
    known = {node.name: node for node in function.node_def}
    text = function.ret.get(function.signature.output_arg[number].name, "")
    for _ in known:
        node = known.get(_name(text))
        if node is None or node.op != "Identity" or not node.input:
            break
        text = node.input[0]
    return text == function.signature.input_arg[number].name


def _set(function: FunctionDef, argument: str, constant: NodeDef) -> None:
    """Makes the nodes of a function read a constant in place of an argument."""
    readers = [node for node in function.node_def if argument in node.input]
    taken = {node.name for node in function.node_def}
    taken |= {arg.name for arg in function.signature.input_arg}
    name = unique_name(f"{argument}/constant", taken)
    for node in readers:
        texts = [f"{name}:output:0" if text == argument else text for text in node.input]
        node.input[:] = texts
    if readers:
        created = function.node_def.add()
        created.CopyFrom(nodes.constant_of(name, nodes.tensor(constant), ()))


def _called(node: NodeDef) -> tuple[list[str], list[str]]:
    """Returns the functions that a While, If or Case calls, and their arguments."""
    if node.op in _WHILES:
        return [
            node.attr[key].func.name for key in ("cond", "body") if key in node.attr
        ], data_texts(node)
    return [function.name for function in predicates.branches(node)], data_texts(node)[1:]


class _Arguments:
    def __init__(self, graph: Graph) -> None:
        self._functions = functions.by_name(graph.library)
        bodies: list[Iterable[NodeDef]] = [graph.nodes]
        bodies += [function.node_def for function in graph.library.function]
        self._callers = Counter(
            name for body in bodies for node in body for name in functions.called([node])
        )

    def set_in(self, listed: Iterable[NodeDef], fed: Collection[str]) -> Iterator[FunctionDef]:
        """Sets the constant arguments of the functions that nodes call; yields these functions."""
        known = {node.name: node for node in listed}
        for node in known.values():
            names, arguments = _called(node)
            called = [
                self._functions[n] for n in names if self._callers[n] == 1 and n in self._functions
            ]
            if len(called) < len(names):
                continue
            for number, text in enumerate(arguments):
                constant = _constant(text, known, fed)
                if constant is not None and self._is_constant(node, called, number):
                    for function in called:
                        _set(function, function.signature.input_arg[number].name, constant)
            yield from called

    def _is_constant(self, node: NodeDef, called: list[FunctionDef], number: int) -> bool:
        """Returns whether an argument does not change in any iteration, and all functions have it."""
        if any(number >= len(function.signature.input_arg) for function in called):
            return False
        if node.op not in _WHILES:
            return True
        body = called[-1]
        return number < len(body.signature.output_arg) and _returns_argument(body, number)


def set_constant_arguments(graph: Graph, fed: Collection[str]) -> None:
    """Makes functions that only one node calls read constant bools in place of arguments; modifies them.

    Args:
      graph: a graph and its functions.
      fed: the names of nodes that the app feeds.
    """
    arguments = _Arguments(graph)
    todo = list(arguments.set_in(graph.nodes, fed))
    while todo:
        todo += arguments.set_in(todo.pop().node_def, ())
