"""Each form of a model has the same outputs when it is frozen."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tensorflow as tf
from freeze_running import frozen_here, graph_of, ops_of, outputs_of, run
from freeze_sources import MAKERS, Source, keras_call

import extent
from tfcarve.errors import InvalidInput

pytest_plugins = ["in_process"]

_STATE = {
    "VarHandleOp",
    "ReadVariableOp",
    "VariableV2",
    "HashTableV2",
    "LookupTableFindV2",
    "ResourceGather",
}
_ROLE = re.compile(r"_(body|cond|then_branch|else_branch|branches)(_\d+)?$")
_CALLS = {"PartitionedCall", "StatefulPartitionedCall"}
# A quick run has each format of files and each kind of variables, but not these combinations.
_COMBINATIONS = (
    "checkpoint V1, references",
    "checkpoint V2, resources",
    "variable in parts, .meta",
    ".meta, resources",
)
_QUICK = [name for name in MAKERS if name not in _COMBINATIONS]


@pytest.fixture(scope="module")
def created(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """Returns a function that creates each source once."""
    folder = tmp_path_factory.mktemp("sources")
    return cache(lambda name: MAKERS[name](folder / str(list(MAKERS).index(name))))


def _differs(found: Any, expected: Any) -> float:
    if expected.dtype == object:
        return float(np.any(found != expected))
    return float(np.max(np.abs(found - expected), initial=0))


@pytest.mark.parametrize("name", extent.some(list(MAKERS), *_QUICK))
def test_outputs_are_equal(name: str, created: Any, tmp_path: Path) -> None:
    source: Source = created(name)
    data = frozen_here(source.path, tmp_path, **source.options)
    assert not ops_of(data) & (_STATE | _CALLS)
    found = outputs_of(data, source)
    for key, expected in source.expected.items():
        assert found[key].shape == expected.shape
        assert _differs(found[key], expected) < 1e-6
    graph = graph_of(data)
    assert {n.name for n in graph.node if n.op == "Placeholder"} == set(source.feeds)
    assert all(_ROLE.search(f.signature.name) for f in graph.library.function)
    assert not any(node.device or "_class" in node.attr for node in graph.node)
    assert frozen_here(source.path, tmp_path / "again", **source.options) == data


def test_a_changed_weight_is_detected(created: Any, tmp_path: Path) -> None:
    """The control of the comparison: one weight of the frozen graph is changed."""
    source: Source = created("v2 Keras")
    graph = graph_of(frozen_here(source.path, tmp_path))
    node = next(n for n in graph.node if n.op == "Const" and n.attr["value"].tensor.ByteSize() > 64)
    content = np.frombuffer(node.attr["value"].tensor.tensor_content, np.float32) + 1e-3
    node.attr["value"].tensor.tensor_content = content.astype(np.float32).tobytes()
    found = outputs_of(graph.SerializeToString(), source)
    assert _differs(found["scores"], source.expected["scores"]) > 1e-5


def test_moving_averages(created: Any, tmp_path: Path) -> None:
    source: Source = created("moving averages")
    options = {**source.options, "moving_averages": False}
    found = outputs_of(frozen_here(source.path, tmp_path, **options), source)
    assert _differs(found["scores"], source.expected["scores"]) > 1e-3


@pytest.mark.usefixtures("in_process")
def test_lowered_control_flow(created: Any, tmp_path: Path) -> None:
    source: Source = created("v2 LSTM")
    kept = frozen_here(source.path, tmp_path)
    assert "StatelessWhile" in ops_of(kept) and len(graph_of(kept).library.function) == 2
    lowered = frozen_here(source.path, tmp_path, lower_control_flow=True)
    assert {"Enter", "Exit", "Switch", "Merge", "NextIteration"} <= ops_of(lowered)
    assert not ops_of(lowered) & {"While", "StatelessWhile"}
    graph = graph_of(lowered)
    assert not graph.library.function
    assert [n.name for n in graph.node if n.op == "Placeholder"] == ["features"]
    assert _differs(outputs_of(lowered, source)["scores"], source.expected["scores"]) < 1e-6
    assert frozen_here(source.path, tmp_path, lower_control_flow=True) == lowered


def test_unrolled_loops(created: Any, tmp_path: Path) -> None:
    source: Source = created("v2 LSTM")
    data = frozen_here(source.path, tmp_path, unroll=4)
    assert not ops_of(data) & {"While", "StatelessWhile", "Enter", "Merge"}
    assert not graph_of(data).library.function
    assert _differs(outputs_of(data, source)["scores"], source.expected["scores"]) < 1e-6
    with pytest.raises(InvalidInput, match="has more iterations than --unroll 3"):
        frozen_here(source.path, tmp_path, unroll=3)


def test_a_loop_that_depends_on_an_input_is_not_unrolled(tmp_path: Path) -> None:
    layers = tf.keras.layers
    model = tf.keras.Sequential([layers.Input((None, 1), name="features"), layers.SimpleRNN(3)])
    source = keras_call(tmp_path / "open", model)
    with pytest.raises(
        InvalidInput, match="the number of iterations is unknown before .*'features'"
    ):
        frozen_here(source.path, tmp_path, unroll=9)
    stacked = tf.keras.Sequential(
        [
            layers.Input((4, 1), name="features"),
            layers.SimpleRNN(3, return_sequences=True),
            layers.SimpleRNN(2, name="scores"),
        ]
    )
    source = keras_call(tmp_path / "stacked", stacked)
    data = frozen_here(source.path, tmp_path, unroll=9)
    assert not ops_of(data) & {"While", "StatelessWhile"}
    assert _differs(outputs_of(data, source)["scores"], source.expected["scores"]) < 1e-6


def test_unrolled_loops_with_tables(created: Any, tmp_path: Path) -> None:
    source: Source = created("v2 table")
    data = frozen_here(source.path, tmp_path, unroll=10)
    assert not ops_of(data) & {"While", "StatelessWhile"}
    found = outputs_of(data, source)
    for key, expected in source.expected.items():
        assert _differs(found[key], expected) < 1e-6


def test_control_flow_of_version_1(created: Any, tmp_path: Path) -> None:
    """The other branch, in which a function without inputs computes the output."""
    source: Source = created("v1 control flow")
    data = frozen_here(source.path, tmp_path)
    assert {"Enter", "Switch", "LowerBound"} <= ops_of(data)
    found = run(data, {"x": -source.feeds["x"]}, ["branched"])["branched"]
    assert found.tolist() == [3, 4] != source.expected["branched"].tolist()


@pytest.mark.parametrize("lower", [False, True])
def test_each_branch(lower: bool, created: Any, tmp_path: Path) -> None:
    """The program that lowers control flow runs as for users, in a process of its own."""
    source: Source = created("v2 control flow")
    data = frozen_here(source.path, tmp_path, lower_control_flow=lower)
    kept = {"StatelessCase", "StatelessIf", "StatelessWhile"}
    assert ops_of(data) & kept == (set() if lower else kept)
    x = source.feeds["x"]
    for which, expected in ((0, x * [1, 2]), (1, source.expected["y"]), (2, [x[0], 0.25])):
        found = run(data, {"x": x, "which": which}, ["y", "label"])
        assert found["label"].tolist() == [[b"one", b"two"][which % 2]]
        assert _differs(found["y"], np.array(expected)) < 1e-6


def test_an_assertion_stays(created: Any, tmp_path: Path) -> None:
    """Side effects of a function are preserved in the frozen graph."""
    source: Source = created("v2 assertion")
    data = frozen_here(source.path, tmp_path, **source.options)
    assert "Assert" in ops_of(data)
    with pytest.raises(Exception, match="assertion failed"):
        outputs_of(data, Source(source.path, {"x": -source.feeds["x"]}, source.expected))
