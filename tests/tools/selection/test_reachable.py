"""Tests of which functions can be called."""

from tfcarve.selection.reach import needed_nodes

from tfcarve.models.node_use import AttrValue, Model, NodeUse


def _node(function: str, op: str, **attrs: AttrValue) -> NodeUse:
    return NodeUse("m", function, f"{function}/{op}", op, "", attrs)


def test_needed_nodes() -> None:
    nodes = (
        _node("", "Call", f=AttrValue("func", "A")),
        _node("A", "B"),
        _node("B", "A"),  # a ring
        _node("C", "Relu"),
        _node("D", "Relu6", f=AttrValue("func", "C")),
    )
    model = Model("m", lambda: "", "graphdef", nodes, dict.fromkeys("ABCD", ()))
    assert needed_nodes(model) == nodes[:3]
