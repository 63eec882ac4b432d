"""Tests of sparsify_gather."""

import numpy as np
import prepared
import pytest
import tensorflow as tf
from prepared import Array, tf1

from tfcarve.errors import InvalidInput
from tfcarve.prepare.evaluate.evaluator import Evaluator
from tfcarve.prepare.graph import graph_file
from tfcarve.prepare.graph.graph import Graph

_IDS = np.array([[3, 0], [40, 99]])
_WEIGHTS = np.where(np.arange(100)[:, None] % 4 == 3, prepared.noise(100, 1), np.float32(1e-6))


def _draw(weights: Array, dtype: tf.DType = tf.int64, version: int = 2, axis: int = 0) -> Graph:
    def draw() -> None:
        ids = tf1.placeholder(dtype, (2, 2), name="x")
        held = tf.identity(tf.constant(weights, name="w"), name="read")
        if version == 1:
            tf.raw_ops.Gather(params=held, indices=ids, name="y")
        else:
            tf.gather(held, ids, axis=axis, name="y")

    return prepared.drawn(draw)


def _ran(graph: Graph, feeds: dict[str, Array], start: str) -> Array:
    definition = tf1.GraphDef.FromString(graph_file.to_bytes(graph))
    with tf.Graph().as_default() as imported:
        tf.import_graph_def(definition, name="")
        with tf1.Session(graph=imported) as session:
            session.run(start)
            return np.array(session.run("y:0", {f"{n}:0": v for n, v in feeds.items()}))


@pytest.mark.parametrize("version", [1, 2])
@pytest.mark.parametrize("dtype", [tf.int32, tf.int64])
def test_lookup(version: int, dtype: tf.DType, evaluator: Evaluator) -> None:
    before = _draw(_WEIGHTS, dtype, version)
    after = prepared.transformed(before, "sparsify_gather", evaluator)
    assert {"Gather", "GatherV2", "Identity"}.isdisjoint(prepared.ops(after))
    assert prepared.ops(after)["HashTable"] == 1
    feeds = {"x": _IDS.astype(dtype.as_numpy_dtype)}
    found = _ran(after, feeds, "group_deps")
    (wanted,) = prepared.ran(before, feeds, ["y"])
    assert found.shape == wanted.shape == (2, 2, 1)
    assert np.abs(found - wanted).max() < 1e-5
    assert np.abs(wanted).max() > 0.1
    with pytest.raises(tf.errors.FailedPreconditionError, match="[Nn]ot initialized"):
        prepared.ran(after, feeds, ["y"])


def test_all_weights_are_zero(evaluator: Evaluator) -> None:
    after = prepared.transformed(
        _draw(_WEIGHTS * 0), "sparsify_gather(group_init_node=start)", evaluator
    )
    assert not _ran(after, {"x": _IDS}, "start").any()


def test_two_gathers_share_a_table(evaluator: Evaluator) -> None:
    def draw() -> None:
        ids = tf1.placeholder(tf.int64, (2, 2), name="x")
        held = tf.constant(_WEIGHTS)
        tf.add(tf.gather(held, ids), tf.gather(held, ids + 1), name="y")

    before = prepared.drawn(draw)
    after = prepared.transformed(before, "sparsify_gather", evaluator)
    assert prepared.ops(after)["HashTable"] == 1
    assert prepared.ops(after)["LookupTableFind"] == 2
    ids = _IDS - 1 + (_IDS == 0)
    (wanted,) = prepared.ran(before, {"x": ids}, ["y"])
    assert np.abs(_ran(after, {"x": ids}, "group_deps") - wanted).max() < 1e-5


@pytest.mark.parametrize(
    "before",
    [
        _draw(prepared.noise(100, 2)),
        _draw(prepared.noise(100)),
        _draw(prepared.noise(100, 1).astype(np.float64)),
        _draw(prepared.noise(100, 1), axis=1),
    ],
    ids=["wide", "flat", "double", "axis"],
)
def test_other_weights_are_not_changed(before: Graph, evaluator: Evaluator) -> None:
    assert prepared.transformed(before, "sparsify_gather", evaluator).nodes == before.nodes


def test_variables(evaluator: Evaluator) -> None:
    def draw() -> None:
        ids = tf1.placeholder(tf.int64, (2,), name="x")
        weights = tf1.get_variable("w", (9, 1), use_resource=False)
        tf.raw_ops.GatherV2(params=weights, indices=ids, axis=0, name="y")

    with pytest.raises(InvalidInput, match="node 'w': is a VariableV2: freeze the model first"):
        prepared.transformed(prepared.drawn(draw), "sparsify_gather", evaluator)


def test_a_checkpoint(evaluator: Evaluator) -> None:
    with pytest.raises(
        InvalidInput, match=r"input_checkpoint='a/b': .* tfcarve freeze --checkpoint a/b"
    ):
        prepared.transformed(
            prepared.drawn(lambda: tf1.placeholder(tf.int32, (2,), name="y")),
            "sparsify_gather(input_checkpoint=a/b)",
            evaluator,
            inputs=(),
        )
