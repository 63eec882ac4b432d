"""Tests of finding the nodes that can run."""

from tfcarve.models.node_use import AttrValue, Function, Model, NodeUse
from tfcarve.selection.reachable import reachable_nodes


def _node(function: str, op: str, **attrs: AttrValue) -> NodeUse:
    return NodeUse("m", function, f"{function}/{op}", op, "", attrs)


def test_reachable_nodes() -> None:
    nodes = (
        _node("", "Call", f=AttrValue("func", "A")),
        _node("A", "B"),
        _node("B", "A"),  # a cycle
        _node("C", "Relu"),
        _node("D", "Relu6", f=AttrValue("func", "C")),
    )
    model = Model("m", lambda: "", "graphdef", nodes, dict.fromkeys("ABCD", Function()))
    assert reachable_nodes(model) == nodes[:3]
