"""Tests of converting a function's body to a graph."""

import pytest

from tfcarve.prepare.graph import functions
from tfcarve.prepare.graph.functions import UnsupportedBody
from tfcarve.prepare.graph.messages import FunctionDef, OpDef


def _body(reference: str) -> list[str]:
    """Returns the inputs of a node whose input in the body is `reference`, an output of the node `a`."""
    op = OpDef(name="Relu")
    op.output_arg.add(name="activations")
    function = FunctionDef()
    function.node_def.add(name="a", op="Relu")
    function.node_def.add(name="b", op="Relu", input=[reference])
    graph, _, _ = functions.body(function, {"Relu": op})
    return list(graph.nodes[1].input)


@pytest.mark.parametrize("reference", ["a:activations:0", "a:activations"])
def test_output(reference: str) -> None:
    assert _body(reference) == ["a"]


def test_control_input() -> None:
    assert _body("^a") == ["^a"]


_LONG = "9" * 5000


@pytest.mark.parametrize(
    "output", [":other:0", *map(":activations:{}".format, ("", "x", "-1", "٣", _LONG))]
)
def test_invalid_output(output: str) -> None:
    for reference in (f"a{output}", f"c{output}", "a"):
        with pytest.raises(UnsupportedBody):
            _body(reference)
