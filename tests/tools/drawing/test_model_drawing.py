"""Tests of what is drawn of a model."""

from __future__ import annotations

import tracemalloc
from collections.abc import Iterator
from dataclasses import dataclass

import pytest
from drawn_graphs import LAYERS, layers
from node_lines import MANY, each, nodes

from tfcarve.drawing import model_drawing
from tfcarve.drawing.model_drawing import Edge, drawing
from tfcarve.errors import InvalidInput
from tfcarve.models.node_use import AttrValue, NodeUse
from tfcarve.models.values import Values


def _constant(name: str, *shape: int) -> NodeUse:
    return NodeUse(
        "m", "", name, "Const", "/cpu:0", {"value": AttrValue("tensor", ("int32", shape))}
    )


def test_only_the_outermost_scopes() -> None:
    found = layers(1)
    assert list(found.boxes) == ["x", "net/", "check", "y"]
    net = found.boxes["net/"]
    assert (net.nodes, net.ops, net.main_op) == (
        4,
        {"Const": 1, "Identity": 1, "MatMul": 1, "Relu": 1},
        "MatMul",
    )
    assert found.edges == (
        Edge("check", "y", 0, 1),
        Edge("net/", "y", 2, 0),
        Edge("x", "check", 1, 0),
        Edge("x", "net/", 1, 0),
    )
    assert not found.frames and found.depth == 1


def test_open_scopes_have_frames() -> None:
    found = layers(2)
    assert list(found.boxes) == ["x", "net/dense/", "net/relu", "check", "y"]
    assert list(found.frames) == ["net/"]
    assert found.frames["net/"].nodes == 4
    assert list(layers(3).frames) == ["net/", "net/dense/"]


def test_a_node_and_a_scope_of_the_same_name() -> None:
    found = layers(3)
    assert {"net/dense/kernel", "net/dense/kernel/"} < found.boxes.keys()
    assert Edge("net/dense/kernel", "net/dense/kernel/", 1, 0) in found.edges


def test_the_default_depth_is_readable() -> None:
    """Everything of a small graph; of a large one, the deepest level with at most 400 boxes."""
    assert layers().depth == 4
    text = "".join(f"layer_{i}/a/x A\nlayer_{i}/a/y A layer_{i}/a/x\n" for i in range(400))
    assert drawing(nodes(text)).depth == 2
    assert drawing(nodes(f"{text}z A")).depth == 1
    assert len(drawing(nodes(text), depth=3).boxes) == 800


def test_one_scope_and_what_it_is_connected_to() -> None:
    found = layers(1, "net/dense/")
    assert found.boxes.keys() == {
        "x",
        "net/dense/kernel",
        "net/dense/kernel/",
        "net/dense/MatMul",
        "net/relu",
    }
    assert found.scope == "net/dense/"
    assert {"y", "check"}.isdisjoint(found.boxes)
    assert {(e.source, e.target) for e in found.edges} == {
        ("x", "net/dense/MatMul"),
        ("net/dense/kernel", "net/dense/kernel/"),
        ("net/dense/kernel/", "net/dense/MatMul"),
        ("net/dense/MatMul", "net/relu"),
    }
    with pytest.raises(InvalidInput, match="no node is in the scope 'dense/': without --scope"):
        layers(scope="dense/")


def test_values_types_and_shapes() -> None:
    found = drawing([_constant("a/w", 2, 3), _constant("a/b", 5), _constant("c", 7)], depth=1)
    assert found.boxes["a/"].values == Values(2, 11, 44, 0)
    alone = found.boxes["c"]
    assert (alone.dtype, alone.shape, alone.device) == ("int32", (7,), "/cpu:0")
    assert (found.boxes["a/"].dtype, found.boxes["a/"].shape) == ("", None)
    whole = drawing([_constant("a/w", 2, 3), _constant("a/b", 5)], depth=2)
    assert whole.frames["a/"].values == Values(2, 11, 44, 0)


def test_inputs_that_do_not_exist_and_cycles() -> None:
    found = drawing(nodes("a A c gone lost/x\nb A a\nc A b c\n"))
    assert [(e.source, e.target) for e in found.edges] == [("a", "b"), ("b", "c"), ("c", "a")]


def test_too_many_boxes_name_the_depth_to_draw() -> None:
    text = each("big/n# A") + "x A\n"
    with pytest.raises(
        InvalidInput,
        match=r"^depth 2 has more than 2,000 boxes, which is the limit: --depth 1 draws 2, --scope only a part$",
    ):
        drawing(nodes(text), depth=2)
    assert drawing(nodes(text)).boxes["big/"].nodes == MANY
    with pytest.raises(
        InvalidInput, match="--scope draws only a part, and --tensorboard has no limit"
    ):
        drawing(nodes(each("n# A")))


def test_too_many_edges() -> None:
    every = " ".join(f"a{i}" for i in range(100))
    text = "".join(f"a{i} A {every}\n" for i in range(100))
    with pytest.raises(
        InvalidInput, match=r"depth 1 has more than 6,000 edges.*: draw less with --depth 1 or"
    ):
        drawing(nodes(text))
    assert drawing(nodes(text.replace("a", "s/a")), depth=1).edges == ()


def test_a_scope_with_too_many_neighbours() -> None:
    text = each("n# A") + "s/x A " + " ".join(f"n{i}" for i in range(3000))
    with pytest.raises(InvalidInput, match="has more than 2,000 boxes"):
        drawing(nodes(text), "s/")


@dataclass(frozen=True)
class _Decoded:
    """Nodes of one scope that are decoded when they are requested."""

    count: int

    def __iter__(self) -> Iterator[NodeUse]:
        for number in range(self.count):
            yield NodeUse("m", "", f"big/n{number}", "A", "", {}, ("big/n0",))


def _peak(count: int) -> int:
    tracemalloc.start()
    try:
        assert drawing(_Decoded(count)).boxes.keys() == {"big/"}  # type: ignore[arg-type]
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def test_memory_does_not_grow_with_the_nodes_of_a_scope() -> None:
    assert _peak(8_000) < 1.1 * _peak(2_000)


def test_the_limits_are_those_of_the_messages() -> None:
    assert (model_drawing.MAX_BOXES, model_drawing.MAX_EDGES) == (2_000, 6_000)
    assert LAYERS.count("\n") < model_drawing.MAX_BOXES
