"""Tests of finding the shapes of what nodes read, after TensorFlow has changed the graph."""

import pytest

from tfcarve.benchmark.measured import Node, Output
from tfcarve.benchmark.shapes import counted
from tfcarve.models.node_use import AttrValue, NodeUse


def _ran(name: str, op: str, inputs: str = "", *dims: tuple[int, ...]) -> Node:
    outputs = tuple(Output("float32", d) for d in dims)
    return Node(name, op, tuple(inputs.split()), 1, 0, 0, 0, outputs)


def _use(name: str, op: str, inputs: str = "", **attrs: AttrValue) -> NodeUse:
    return NodeUse("m.pb", "", name, op, "", attrs, tuple(inputs.split()))


def _const(name: str, *dims: int) -> NodeUse:
    return _use(name, "Const", value=AttrValue("tensor", ("float32", dims)))


# It reads a filter of 3 by 3 by 2 by 4, and gives 1 by 5 by 5 by 4.
_COUNT = 5 * 5 * 4 * 3 * 3 * 2
_FILTER = (3, 3, 2, 4)


@pytest.mark.parametrize(
    ("nodes", "uses", "place"),
    [
        pytest.param(
            [_ran("f", "Const", "", _FILTER), _ran("c", "Conv2D", "x f", (1, 5, 5, 4))], [], 1,
            id="a traced node",
        ),
        pytest.param(
            [_ran("f/_7__cf__7", "Const", "", _FILTER), _ran("c", "Conv2D", "x f", (1, 5, 5, 4))],
            [], 1,
            id="one that was folded",
        ),
        pytest.param(
            [_ran("s", "Split", "", (9,), _FILTER), _ran("c", "Conv2D", "x s:1", (1, 5, 5, 4))],
            [], 1,
            id="its second output",
        ),
        pytest.param(
            [_ran("c", "Conv2D", "x f ^init", (1, 5, 5, 4))], [_const("f", *_FILTER)], 0,
            id="a constant of the model",
        ),
        pytest.param(
            [_ran("c", "Conv2D", "x b", (1, 5, 5, 4))],
            [_use("b", "Identity", "a:0"), _use("a", "Identity", "f"), _const("f", *_FILTER)], 0,
            id="one that is handed on",
        ),
        pytest.param(
            [
                _ran("while/body/f", "Const", "", _FILTER),
                _ran("while/body/c", "Conv2D", "x f:output:0", (1, 5, 5, 4)),
            ],
            [], 1,
            id="one of the same function",
        ),
        pytest.param(
            [
                _ran("f", "Const", "", (9,)),
                _ran("call/f", "Const", "", _FILTER),
                _ran("call/c", "Conv2D", "x call/f", (1, 5, 5, 4)),
            ],
            [], 2,
            id="by its whole name",
        ),
    ],
)  # fmt: skip
def test_filter_is_found(nodes: list[Node], uses: list[NodeUse], place: int) -> None:
    counts = counted(nodes, uses)
    assert counts[place] == _COUNT
    assert counts[:place] + counts[place + 1 :] == [0] * (len(nodes) - 1)


@pytest.mark.parametrize(
    ("inputs", "uses"),
    [
        ("x", []),
        ("x gone", []),
        ("x c:3", []),
        ("x ^f", [_const("f", *_FILTER)]),
        ("x a", [_use("a", "Identity", "b"), _use("b", "Identity", "a")]),
        ("x a", [_use("a", "Identity", "")]),
        ("x a", [_use("a", "Relu", "f"), _const("f", *_FILTER)]),
        ("x f", [_const("f", -1, 3, 2, 4)]),
        ("x f", [_use("f", "Const", value=AttrValue("tensor", ("float32", None)))]),
        ("x f", [_use("f", "Const")]),
    ],
)
def test_filter_is_unknown(inputs: str, uses: list[NodeUse]) -> None:
    assert counted([_ran("c", "Conv2D", inputs, (1, 5, 5, 4))], uses) == [None]


def test_output_that_was_not_computed() -> None:
    conv = Node("c", "Conv2D", ("x", "f"), 1, 0, 0, 0, (Output("", ()),))
    assert counted([conv], [_const("f", *_FILTER)]) == [None]


@pytest.mark.parametrize(
    ("attrs", "count"),
    [
        ({"equation": AttrValue("string", "ab,bc->ac")}, 30),
        ({"equation": AttrValue("int", 3)}, None),
        ({}, None),
    ],
)
def test_equation_is_the_models(attrs: dict[str, AttrValue], count: int | None) -> None:
    nodes = [
        _ran("x", "_Arg", "", (2, 3)),
        _ran("y", "Const", "", (3, 5)),
        _ran("e", "Einsum", "x y", (2, 5)),
    ]
    assert counted(nodes, [_use("e", "Einsum", "x y", **attrs)]) == [0, 0, count]
