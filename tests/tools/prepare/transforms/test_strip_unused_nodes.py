"""Tests of strip_unused_nodes."""

from collections.abc import Callable

import prepared
import pytest
import tensorflow as tf
from prepared import tf1

from tfcarve.errors import InvalidInput
from tfcarve.prepare.context import Context, Parameters
from tfcarve.prepare.evaluate.evaluator import Evaluator
from tfcarve.prepare.graph.graph import by_name
from tfcarve.prepare.pipeline.transform_list import parse
from tfcarve.prepare.transforms import strip_unused_nodes


def _draw() -> None:
    raw = tf1.placeholder(tf.string, [], name="raw")
    picture = tf.cast(tf.io.decode_png(raw, name="decoded"), tf.float32, name="picture")
    used = tf.function(lambda a: a * 2.0)
    tf.identity(used(tf.reduce_sum(picture)), name="y")
    tf.identity(tf.function(lambda a: a * 3.0)(tf.constant(1.0)), name="unused")


def test_unused_nodes_are_removed(evaluator: Evaluator) -> None:
    before = prepared.drawn(_draw)
    after = prepared.transformed(
        before, 'strip_unused_nodes(type=float, shape="2,2,3")', evaluator, inputs=["picture"]
    )
    node = by_name(after)["picture"]
    assert node.op == "Placeholder"
    assert [dim.size for dim in node.attr["shape"].shape.dim] == [2, 2, 3]
    assert not {"raw", "decoded", "unused"} & by_name(after).keys()
    assert len(before.library.function) == 2
    assert len(after.library.function) == 1
    picture = prepared.noise(2, 2, 3)
    assert prepared.difference(before, after, {"picture": picture}) == 0


def test_an_existing_placeholder_is_not_changed(evaluator: Evaluator) -> None:
    before = prepared.drawn(_draw)
    after = prepared.transformed(before, "strip_unused_nodes", evaluator, inputs=["raw"])
    assert by_name(after)["raw"] == by_name(before)["raw"]


@pytest.mark.parametrize(
    ("parameters", "dtype", "shape"),
    [
        ("", 1, None),
        ('shape=""', 1, []),
        ("type=quint8", 12, None),
        (
            'name=other, type_for_name=int64, shape_for_name="1", type=half, shape="4,-1"',
            19,
            [4, -1],
        ),
        ("name=picture, type_for_name=DT_INT64, name=b, type_for_name=float", 9, None),
        ('name=picture, type_for_name=int8, shape_for_name="7,8", shape="1"', 6, [7, 8]),
    ],
)
def test_types_and_shapes(
    parameters: str, dtype: int, shape: list[int] | None, evaluator: Evaluator
) -> None:
    (step,) = parse(f"strip_unused_nodes({parameters})")
    context = Context(("picture",), ("y",), Parameters(step.name, step.parameters), evaluator)
    node = by_name(strip_unused_nodes.apply(prepared.drawn(_draw), context))["picture"]
    assert node.attr["dtype"].type == dtype
    assert node.attr["shape"].shape.unknown_rank == (shape is None)
    assert [dim.size for dim in node.attr["shape"].shape.dim] == (shape or [])


def _with_default() -> None:
    x = tf1.placeholder_with_default(tf.ones([3]), [None], name="x")
    tf.identity(x * 2.0, name="y")


def test_default_shape(evaluator: Evaluator) -> None:
    before = prepared.drawn(_draw)
    after = prepared.transformed(before, "strip_unused_nodes", evaluator, inputs=["picture"])
    assert prepared.difference(before, after, {"picture": prepared.noise(2, 2, 3)}) == 0
    before = prepared.drawn(_with_default)
    after = prepared.transformed(before, "strip_unused_nodes", evaluator)
    assert [dim.size for dim in by_name(after)["x"].attr["shape"].shape.dim] == [-1]
    assert prepared.difference(before, after, {"x": prepared.noise(5)}) == 0


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ("type=flaot", r"'flaot' is not a type"),
        ('shape="1,a"', r"'1,a' is not a shape"),
        ("type=float, type=int8", r"type is passed 2 times: pass it once"),
        ("name=picture, type_for_name=int8, type_for_name=int8", r"1 name and 2 type_for_name"),
    ],
)
@pytest.mark.parametrize("fed", ["picture", "raw"])  # raw is a Placeholder already
def test_invalid_parameters(parameters: str, message: str, fed: str, evaluator: Evaluator) -> None:
    with pytest.raises(InvalidInput, match=rf"^strip_unused_nodes: .*{message}"):
        prepared.transformed(
            prepared.drawn(_draw),
            f"strip_unused_nodes({parameters})",
            evaluator,
            inputs=[fed],
        )


def _split() -> None:
    low, high = tf.split(tf1.placeholder(tf.float32, [4], name="x"), 2, name="halves")
    tf.subtract(low, high, name="y")
    tf.identity(low, name="first")


@pytest.mark.parametrize(
    ("inputs", "outputs", "reader"),
    [
        (["halves", "halves:1"], ["y"], "'y'"),
        (["halves"], ["y"], "'y'"),
        (["halves:1"], ["first"], "'--inputs'"),
        (["halves"], ["first", "halves:1"], "'--outputs'"),
    ],
)
def test_inputs_with_several_outputs(
    inputs: list[str], outputs: list[str], reader: str, evaluator: Evaluator
) -> None:
    before = prepared.drawn(_split)
    message = f"{reader} uses 'halves:1', .* tfcarve freeze --inputs halves,halves:1"
    with pytest.raises(InvalidInput, match=message):
        prepared.transformed(before, "strip_unused_nodes", evaluator, outputs, inputs)
    # The control: only the first output is read.
    after = prepared.transformed(before, "strip_unused_nodes", evaluator, ["first"], ["halves"])
    prepared.ran(after, {"halves": prepared.noise(2)}, ["first"])


@pytest.mark.parametrize(
    ("draw", "dtype"),
    [
        (lambda x: tf.argmax(x, name="fed"), tf.int64),
        (lambda x: tf.cast(x, tf.int32, name="fed"), tf.int32),
        (lambda x: tf.greater(x, 0.0, name="fed"), tf.bool),
        (lambda x: tf.identity(x, name="fed"), tf.float32),
    ],
)
def test_the_type_is_that_of_the_replaced_tensor(
    draw: Callable[[tf.Tensor], tf.Tensor], dtype: tf.DType, evaluator: Evaluator
) -> None:
    before = prepared.drawn(
        lambda: tf.identity(draw(tf1.placeholder(tf.float32, [3], name="x")), name="y")
    )
    after = prepared.transformed(before, "strip_unused_nodes", evaluator, inputs=["fed"])
    assert by_name(after)["fed"].attr["dtype"].type == dtype.as_datatype_enum
