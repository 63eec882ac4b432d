"""Tests of graphs: edges, order, cycles and names."""

import pytest

from tfcarve.errors import InvalidInput
from tfcarve.prepare.graph.graph import (
    CONTROL,
    Graph,
    Ref,
    consumers,
    reachable,
    ref,
    rewire,
    topological_order,
    unique_name,
)
from tfcarve.prepare.graph.graph_check import check
from tfcarve.prepare.graph.messages import NodeDef


def _graph(*nodes: tuple[str, str, list[str]]) -> Graph:
    return Graph([NodeDef(name=name, op=op, input=inputs) for name, op, inputs in nodes])


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a", Ref("a")),
        ("a:1", Ref("a", 1)),
        ("a/b:12", Ref("a/b", 12)),
        ("^a", Ref("a", CONTROL)),
        ("a:b", Ref("a:b")),
        (":1", Ref(":1")),
    ],
)
def test_ref(text: str, expected: Ref) -> None:
    assert ref(text) == expected
    assert expected.text() == text


def test_output_0_is_the_name_alone() -> None:
    assert ref("a:0") == ref("a")
    assert ref("a:0").text() == "a"


def test_order() -> None:
    graph = _graph(("c", "Add", ["b", "a"]), ("b", "Neg", ["a:0"]), ("a", "Const", []))
    assert [node.name for node in topological_order(graph)] == ["a", "b", "c"]


def test_a_loop_is_not_a_cycle() -> None:
    loop = [("m", "Merge", ["e", "n"]), ("e", "Enter", ["a"]), ("n", "NextIteration", ["m"])]
    graph = _graph(("a", "Const", []), *loop)
    assert [node.name for node in topological_order(graph)] == ["a", "e", "m", "n"]
    check(graph)


@pytest.mark.parametrize("back", ["c", "^c", "c:1"])
def test_a_cycle(back: str) -> None:
    graph = _graph(("a", "Neg", [back]), ("c", "Neg", ["a"]), ("d", "Neg", ["c"]))
    with pytest.raises(InvalidInput, match=r"node '[ac]': depends on itself"):
        check(graph)


def test_names() -> None:
    with pytest.raises(InvalidInput, match=r"node 'a': two nodes have this name"):
        check(_graph(("a", "Const", []), ("a", "Const", [])))
    with pytest.raises(InvalidInput, match=r"node 'a': two nodes have this name"):
        topological_order(_graph(("v", "Const", []), ("a", "Neg", ["v"]), ("a", "Neg", ["v"])))
    with pytest.raises(
        InvalidInput,
        match=r"node 'b': its input 'weigths' is not a node of the graph.*mean weights\?",
    ):
        check(_graph(("weights", "Const", []), ("b", "Neg", ["weigths"])))


def test_rewire_follows_chains_and_removes_duplicate_control_inputs() -> None:
    node = NodeDef(name="n", op="Add", input=["a", "b:1", "^c", "^d"])
    rewire(
        [node],
        {Ref("a"): Ref("x"), Ref("x"): Ref("y", 2), Ref("c", CONTROL): Ref("d", CONTROL)},
    )
    assert list(node.input) == ["y:2", "b:1", "^d"]


def test_reachable() -> None:
    graph = _graph(
        ("a", "Const", []), ("b", "Neg", ["a"]), ("c", "Neg", ["b"]), ("d", "Neg", ["b"])
    )
    assert reachable(graph, ["c"]) == {"a", "b", "c"}
    assert reachable(graph, ["c"], {"b"}) == {"b", "c"}
    assert [n.name for n in consumers(graph)[Ref("b")]] == ["c", "d"]


def test_unique_names() -> None:
    taken = {"a", "a_1"}
    assert [unique_name(name, taken) for name in ("a", "a", "b")] == ["a_2", "a_3", "b"]
