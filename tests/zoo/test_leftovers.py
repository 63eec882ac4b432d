"""Leftover training nodes of real graphs: they are found, and full TensorFlow computes the same outputs without them."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Any

import numpy
import pytest
import tensorflow as tf

from tfcarve.models import read
from tfcarve.models.choice import Choice
from tfcarve.registry.index import KernelIndex
from tfcarve.releases import known
from tfcarve.selection import leftover_kinds, leftovers, reachable
from tfcarve.selection.lookup import Lookup
from zoo import cached
from zoo.selecting import selected, tensorflow_index

_V1 = tf.compat.v1
_OPTIMIZERS = leftover_kinds.load(known.release()).optimizers


def _found(model: Path) -> dict[leftovers.Place, str]:
    loaded = read.read(model)
    uses = reachable.reachable_nodes(loaded)
    found = leftovers.leftovers(
        loaded,
        uses,
        leftover_kinds.load(known.release()),
        Lookup(tensorflow_index(), known.release()),
    )
    return {place: kind.id for place, kind in found.items()}


def _kinds(name: str) -> set[str]:
    return set(_found(cached.load(name).model).values())


@pytest.mark.parametrize(
    ("name", "kinds"),
    [
        ("v1 trainer", {"initializing", "restoring", "saving", "summaries", "training"}),
        ("v1 checks", {"asserts"}),
        ("v1 queues", {"summaries"}),
        ("v1 files", {"asserts", "summaries"}),
        ("dense, SavedModel", {"restoring", "saving", "unused"}),
        # It has a signature that trains, so its optimizer is not a leftover.
        ("learner, SavedModel", {"restoring", "saving", "unused"}),
        ("v1 loop", set()),
        ("v1 LSTM", {"initializing"}),
        ("detector", set()),
    ],
)
def test_kinds(name: str, kinds: set[str]) -> None:
    assert _kinds(name) == kinds


def _draw() -> tuple[Any, Any]:
    """Draws a trainer as programs for TensorFlow 1 were written; returns what goes in and what comes out."""
    queue = tf.queue.FIFOQueue(9, [tf.float32], [[4]])
    raw = tf.reshape(_V1.decode_raw(_V1.placeholder(tf.string, [], "file"), tf.float32), [4])
    queue.enqueue([raw])
    x = _V1.placeholder(tf.float32, [None, 4], "x")
    y = _V1.placeholder(tf.float32, [None, 2], "y")
    with tf.control_dependencies([_V1.assert_less(tf.abs(x), 100.0)]):
        w = tf.identity(_V1.get_variable("w", [4, 3], use_resource=True), "w_read")
        hidden = tf.nn.relu(tf.identity(x) @ w)
    logits = hidden @ _V1.get_variable("v", [3, 2], use_resource=False)
    probabilities = tf.nn.softmax(logits, name="probabilities")
    _V1.summary.histogram("probabilities", probabilities)
    loss = tf.reduce_mean(tf.nn.softmax_cross_entropy_with_logits(y, logits))
    _V1.summary.scalar("loss", loss)
    _V1.summary.merge_all()
    _V1.train.AdamOptimizer(0.1).minimize(loss, _V1.train.get_or_create_global_step())
    _V1.global_variables_initializer()
    _V1.train.Saver(sharded=True)
    return x, probabilities


@cache
def _trained(folder: Path) -> tuple[Path, Path]:
    """Writes the trainer as a SavedModel, which states its outputs, and as a GraphDef, which does not."""
    with tf.Graph().as_default() as graph, _V1.Session() as session:
        x, probabilities = _draw()
        session.run(_V1.global_variables_initializer())
        _V1.saved_model.simple_save(session, str(folder / "saved"), {"x": x}, {"p": probabilities})
        (folder / "graph.pb").write_bytes(graph.as_graph_def().SerializeToString())
    return folder / "saved", folder / "graph.pb"


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    return _trained(tmp_path_factory.mktemp("trained"))


def _without(graph: Any, names: Iterable[str]) -> Any:
    removed = set(names)
    remaining = type(graph)()
    remaining.CopyFrom(graph)
    del remaining.node[:]
    for node in graph.node:
        if node.name not in removed:
            new = remaining.node.add()
            new.CopyFrom(node)
            del new.input[:]
            new.input.extend(i for i in node.input if i.removeprefix("^") not in removed)
    return remaining


def _run(graph: Any) -> Any:
    """Runs the trainer's graph with fixed values of variables, whose initializers may be removed."""
    generator = numpy.random.default_rng(1)

    def values(*shape: int) -> Any:
        return generator.normal(size=shape).astype(numpy.float32)

    fed = {"x:0": values(5, 4), "w_read:0": values(4, 3), "v/read:0": values(3, 2)}
    with tf.Graph().as_default(), _V1.Session() as session:
        tf.import_graph_def(graph, name="")
        return session.run("probabilities:0", fed)


def test_outputs_are_the_same_without_leftovers(trained: tuple[Path, Path]) -> None:
    _, plain = trained
    graph = _V1.GraphDef.FromString(plain.read_bytes())
    for model in trained:
        names = [node for function, node in _found(model) if not function]
        reduced = _without(graph, names)
        assert len(reduced.node) < len(graph.node)
        numpy.testing.assert_array_equal(_run(reduced), _run(graph))


def test_all_kinds_of_leftovers(trained: tuple[Path, Path]) -> None:
    saved, _ = trained
    selection = selected(saved)
    kinds = {left.kind for left in selection.leftovers}
    assert kinds == {k.id for k in leftover_kinds.load(known.release()).kinds}
    alone = {left.op for left in selection.leftovers if left.alone}
    assert {"Assert", "HistogramSummary", "SaveV2", "ResourceApplyAdam", "ApplyAdam"} <= alone
    assert {"ReluGrad", "SoftmaxCrossEntropyWithLogits", "DecodeRaw", "FIFOQueueV2"} <= alone
    needed = {"MatMul", "Relu", "Softmax", "ReadVariableOp", "VariableV2", "Placeholder"}
    assert not needed & alone
    assert needed <= {op.name for op in selection.ops}


def test_same_as_the_selection_for_a_signature(trained: tuple[Path, Path]) -> None:
    """A signature needs no op that only leftovers need, except those inside asserts."""
    saved, _ = trained
    whole = selected(saved)
    served = selected(saved, choice=Choice(signatures=("serving_default",)))
    alone = {left.op for left in whole.leftovers if left.alone} - {"Assert"}
    assert not alone & {op.name for op in served.ops} - {
        "All", "Less", "Abs", "If", "Assert", "Const",
    }  # fmt: skip
    assert not _OPTIMIZERS & {op.name for op in served.ops}


def test_possible_outputs_are_not_leftovers(trained: tuple[Path, Path]) -> None:
    """A GraphDef does not state its outputs, and only a summary reads `probabilities`, which is one."""
    _, plain = trained
    found = _found(plain)
    assert {"training", "saving", "summaries", "asserts"} <= set(found.values())
    assert ("", "probabilities") not in found
    assert not any("MatMul" in node and "/" not in node for _, node in found)


def test_every_op_of_the_data_file_is_tensorflows() -> None:
    index: KernelIndex = tensorflow_index()
    op_names = set(index.op_names())
    kinds = leftover_kinds.load(known.release())
    named = kinds.readers | kinds.decoding.decoders | kinds.decoding.follow
    named = named.union(*(k.sinks | k.sources | k.excluded_sources | k.after for k in kinds.kinds))
    assert not named - op_names
    applies = {name for name in op_names if "Apply" in name and "Accumulator" not in name}
    assert applies == kinds.optimizers
