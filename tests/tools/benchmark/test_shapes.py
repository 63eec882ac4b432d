"""Tests of finding the shapes of nodes' inputs in a graph that TensorFlow has rewritten."""

import msgspec
import pytest

from tfcarve.benchmark.measurement import Node, Output
from tfcarve.benchmark.shapes import node_multiply_adds
from tfcarve.models.node_use import AttrValue, NodeUse


def _ran(name: str, op: str, inputs: str = "", *dims: tuple[int, ...]) -> Node:
    outputs = tuple(Output(dtype=1, dims=d) for d in dims)
    return Node(
        name=name,
        op=op,
        inputs=tuple(inputs.split()),
        calls=1,
        ms=0,
        share=0,
        bytes=0,
        outputs=outputs,
    )


def _use(name: str, op: str, inputs: str = "", **attrs: AttrValue) -> NodeUse:
    return NodeUse("m.pb", "", name, op, "", attrs, tuple(inputs.split()))


def _const(name: str, *dims: int) -> NodeUse:
    return _use(name, "Const", value=AttrValue("tensor", ("float32", dims)))


# A 3x3x2x4 filter and a 1x5x5x4 output.
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
            id="a folded node",
        ),
        pytest.param(
            [_ran("s", "Split", "", (9,), _FILTER), _ran("c", "Conv2D", "x s:1", (1, 5, 5, 4))],
            [], 1,
            id="a second output",
        ),
        pytest.param(
            [_ran("c", "Conv2D", "x f ^init", (1, 5, 5, 4))], [_const("f", *_FILTER)], 0,
            id="a constant of the model",
        ),
        pytest.param(
            [_ran("c", "Conv2D", "x b", (1, 5, 5, 4))],
            [_use("b", "Identity", "a:0"), _use("a", "Identity", "f"), _const("f", *_FILTER)], 0,
            id="an identity of a constant",
        ),
        pytest.param(
            [
                _ran("while/body/f", "Const", "", _FILTER),
                _ran("while/body/c", "Conv2D", "x f:output:0", (1, 5, 5, 4)),
            ],
            [], 1,
            id="a node of the same function",
        ),
        pytest.param(
            [
                _ran("f", "Const", "", (9,)),
                _ran("call/f", "Const", "", _FILTER),
                _ran("call/c", "Conv2D", "x call/f", (1, 5, 5, 4)),
            ],
            [], 2,
            id="by its full name",
        ),
    ],
)  # fmt: skip
def test_filter_is_found(nodes: list[Node], uses: list[NodeUse], place: int) -> None:
    counts = node_multiply_adds(nodes, uses)
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
    assert node_multiply_adds([_ran("c", "Conv2D", inputs, (1, 5, 5, 4))], uses) == [None]


def test_output_that_was_not_computed() -> None:
    conv = msgspec.structs.replace(_ran("c", "Conv2D", "x f"), outputs=(Output(dtype=0, dims=()),))
    assert node_multiply_adds([conv], [_const("f", *_FILTER)]) == [None]


@pytest.mark.parametrize(
    ("attrs", "count"),
    [
        ({"equation": AttrValue("string", "ab,bc->ac")}, 30),
        ({"equation": AttrValue("int", 3)}, None),
        ({}, None),
    ],
)
def test_equation_comes_from_the_model(attrs: dict[str, AttrValue], count: int | None) -> None:
    nodes = [
        _ran("x", "_Arg", "", (2, 3)),
        _ran("y", "Const", "", (3, 5)),
        _ran("e", "Einsum", "x y", (2, 5)),
    ]
    assert node_multiply_adds(nodes, [_use("e", "Einsum", "x y", **attrs)]) == [0, 0, count]


def test_an_output_number_of_many_digits() -> None:
    nodes = [
        _ran("f", "Const", "", _FILTER),
        _ran("c", "Conv2D", "x f:" + "9" * 5000, (1, 5, 5, 4)),
    ]
    # It is no number of an output, so the first output is read.
    assert node_multiply_adds(nodes, []) == [0, _COUNT]


@pytest.mark.parametrize(("size", "count"), [(1 << 12, 1 << 60), (1 << 13, None)])
def test_a_count_that_no_computer_reaches(size: int, count: int | None) -> None:
    nodes = [_ran("f", "Const", "", (size,) * 2 + (1, 1)), _ran("c", "Conv2D", "x f", (size,) * 3)]
    assert node_multiply_adds(nodes, []) == [0, count]
