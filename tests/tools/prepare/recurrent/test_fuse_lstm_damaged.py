"""Damaged loops: fuse_lstm does not change them or raises InvalidInput."""

import contextlib
from collections.abc import Callable, Iterator

import lstms
import prepared
import pytest
from lstms import FORMS, UNITS, L

import extent
from tfcarve.errors import InvalidInput
from tfcarve.prepare.evaluate.evaluator import Evaluator
from tfcarve.prepare.graph.graph import Graph
from tfcarve.prepare.graph.messages import FunctionDef, NodeDef
from tfcarve.prepare.pipeline import pipeline
from tfcarve.prepare.pipeline.transform_list import parse

_FUSE = parse("fuse_lstm")


@pytest.fixture(scope="module")
def graphs(evaluator: Evaluator) -> dict[str, Graph]:
    """A fusable loop of each form."""
    created = lstms.model(L.LSTM(UNITS, return_state=True))
    found = {}
    for form, freeze in FORMS.items():
        steps = parse("fold_constants remove_nodes(op=Identity)")
        found[form] = pipeline.transform(freeze(created, 2), steps, ["x"], lstms.OUTPUTS, evaluator)
        after = _transformed(found[form], evaluator)
        assert prepared.ops(after)["BlockLSTMV2"] == 1
    return found


def _transformed(graph: Graph, evaluator: Evaluator) -> Graph:
    return pipeline.transform(prepared.copy(graph), _FUSE, ["x"], lstms.OUTPUTS, evaluator)


def _function(graph: Graph, role: str) -> FunctionDef:
    (loop,) = (node for node in graph.nodes if node.op == "StatelessWhile")
    name = loop.attr[role].func.name
    return next(f for f in graph.library.function if f.signature.name == name)


def _without_function(role: str) -> Callable[[Graph], object]:
    return lambda graph: graph.library.function.remove(_function(graph, role))


def _without_argument(role: str, key: str) -> Callable[[Graph], object]:
    return lambda graph: getattr(_function(graph, role).signature, key).pop()


def _without_result(role: str) -> Callable[[Graph], object]:
    def change(graph: Graph) -> None:
        function = _function(graph, role)
        del function.ret[function.signature.output_arg[0].name]

    return change


def _with_cycle(op: str) -> Callable[[Graph], object]:
    def change(graph: Graph) -> None:
        body = _function(graph, "body").node_def
        (node,) = (n for n in body if n.op == op)
        node.input[0] = next(i for n in body for i in n.input if i.startswith(f"{node.name}:"))

    return change


def _with_duplicate_name(graph: Graph) -> None:
    body = _function(graph, "body").node_def
    body.add().CopyFrom(body[0])


def _called_by_nothing(graph: Graph) -> None:
    (loop,) = (node for node in graph.nodes if node.op == "StatelessWhile")
    del loop.attr["body"]


def _recursive(graph: Graph) -> None:
    """Makes the body a loop over itself."""
    body = _function(graph, "body")
    (loop,) = (node for node in graph.nodes if node.op == "StatelessWhile")
    inner = body.node_def.add()
    inner.CopyFrom(loop)
    inner.input[:] = [arg.name for arg in body.signature.input_arg]


_CHANGES: dict[str, Callable[[Graph], object]] = {
    "no condition": _without_function("cond"),
    "no body": _without_function("body"),
    "fewer arguments of the condition": _without_argument("cond", "input_arg"),
    "fewer arguments of the body": _without_argument("body", "input_arg"),
    "no answer of the condition": _without_argument("cond", "output_arg"),
    "fewer results": _without_argument("body", "output_arg"),
    "a condition without a value": _without_result("cond"),
    "a result without a value": _without_result("body"),
    "a sum of itself": _with_cycle("BiasAdd"),
    "a product of itself": _with_cycle("Split"),
    "two of a name": _with_duplicate_name,
    "no name of a body": _called_by_nothing,
    "itself": _recursive,
}


@pytest.mark.parametrize("change", _CHANGES)
def test_functions(change: str, graphs: dict[str, Graph], evaluator: Evaluator) -> None:
    graph = prepared.copy(graphs["functional"])
    _CHANGES[change](graph)
    with contextlib.suppress(InvalidInput):
        after = _transformed(graph, evaluator)
        assert (after.nodes, after.library) == (graph.nodes, graph.library)


def _without_each_input(graph: Graph) -> Iterator[Graph]:
    for place, node in enumerate(graph.nodes):
        for number in range(len(node.input)):
            created = prepared.copy(graph)
            del created.nodes[place].input[number]
            yield created


def _with_each_input_replaced(graph: Graph) -> Iterator[Graph]:
    names = [node.name for node in graph.nodes]
    for place, node in enumerate(graph.nodes):
        for number in range(len(node.input)):
            created = prepared.copy(graph)
            created.nodes[place].input[number] = names[(place * 7 + number * 3) % len(names)]
            yield created


def _without_each_nodes_attributes(graph: Graph) -> Iterator[Graph]:
    for place in range(len(graph.nodes)):
        created = prepared.copy(graph)
        for key in list(created.nodes[place].attr):
            del created.nodes[place].attr[key]
        yield created


def _with_each_node_duplicated(graph: Graph) -> Iterator[Graph]:
    for place in range(len(graph.nodes)):
        created = prepared.copy(graph)
        created.nodes.append(NodeDef.FromString(created.nodes[place].SerializeToString()))
        created.nodes[-1].name += "_again"
        yield created


@pytest.mark.parametrize(
    "damaged",
    [
        _without_each_input,
        _with_each_input_replaced,
        _without_each_nodes_attributes,
        _with_each_node_duplicated,
    ],
)
@pytest.mark.parametrize("form", extent.some(tuple(FORMS), "functional"))
def test_nodes(
    form: str,
    damaged: Callable[[Graph], Iterator[Graph]],
    graphs: dict[str, Graph],
    evaluator: Evaluator,
) -> None:
    for graph in damaged(graphs[form]):
        with contextlib.suppress(InvalidInput):
            _transformed(graph, evaluator)


def _bodies(graph: Graph) -> Iterator[Graph]:
    """Yields graphs with a function in which one node lacks an input or its attributes, or has another op."""
    for number, function in enumerate(graph.library.function):
        for place in range(len(function.node_def)):
            for change in (_without_input, _without_attributes, _with_other_op):
                created = prepared.copy(graph)
                change(created.library.function[number].node_def[place])
                yield created


def _without_input(node: NodeDef) -> None:
    del node.input[:1]


def _without_attributes(node: NodeDef) -> None:
    for key in list(node.attr):
        del node.attr[key]


def _with_other_op(node: NodeDef) -> None:
    node.op = "NoOp"


def test_nodes_of_functions(graphs: dict[str, Graph], evaluator: Evaluator) -> None:
    for graph in _bodies(graphs["functional"]):
        with contextlib.suppress(InvalidInput):
            _transformed(graph, evaluator)


def test_long_chains_of_copies(graphs: dict[str, Graph], evaluator: Evaluator) -> None:
    """Large loops are rejected before expensive analysis."""
    graph = prepared.copy(graphs["functional"])
    body = _function(graph, "body").node_def
    before = body[0].name + ":output:0"
    for number in range(extent.of(5_000, 20_000)):
        body.add(name=f"copy_{number}", op="Identity", input=[before])
        body[-1].attr["T"].type = 1
        before = f"copy_{number}:output:0"
    after = _transformed(graph, evaluator)
    assert after.nodes == graph.nodes
