"""Conditions with a predicate that is known before the model runs: freezing replaces them with the branch that runs."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tensorflow as tf
from conditional_graphs import CONDITIONALS, RAW, Conditional, X, control_flow, remaining
from freeze_running import frozen_here, frozen_with_notes, graph_of, ops_of, run
from freeze_sources import Source

from tfcarve.errors import InvalidInput

pytest_plugins = ["in_process"]
pytestmark = pytest.mark.usefixtures("in_process")

v1 = tf.compat.v1
raw = tf.raw_ops
_TABLE = [
    *((name, each, lowered) for name, each in CONDITIONALS.items() for lowered in (True, False)),
    *((name, each, lowered) for name, (each, lowered) in RAW.items()),
]


def _model(folder: Path, draw: Callable[[Any, Any], Any], lowered: bool) -> Source:
    """A GraphDef with the inputs x and `on` and the output y, its checkpoint, and its outputs for each `on`."""
    folder.mkdir(parents=True, exist_ok=True)
    with control_flow(lowered), tf.Graph().as_default() as graph, v1.Session() as session:
        x = v1.placeholder(tf.float32, [2, 2], name="x")
        on = v1.placeholder(tf.bool, [], name="on")
        y = tf.identity(draw(x, on), name="y")
        v1.get_variable("unused", [1])
        session.run(v1.global_variables_initializer())
        prefix = v1.train.Saver().save(session, str(folder / "m.ckpt"))
        (folder / "m.pb").write_bytes(graph.as_graph_def().SerializeToString())
        expected = {str(flag): session.run(y, {x: X, on: flag}) for flag in (True, False)}
    options = {"checkpoint": prefix, "inputs": ("x", "on"), "outputs": ("y",)}
    return Source(folder / "m.pb", {"x": X}, expected, options)


def _same(data: bytes, source: Source) -> None:
    for flag in (True, False):
        found = run(data, {"x": X, "on": flag}, ["y"])["y"]
        assert found.shape == source.expected[str(flag)].shape
        assert np.abs(found - source.expected[str(flag)]).max() < 1e-6


@pytest.mark.parametrize(("name", "each", "lowered"), _TABLE)
def test_constant_conditions(name: str, each: Conditional, lowered: bool, tmp_path: Path) -> None:
    source = _model(tmp_path / "m", each.draw, lowered)
    data = frozen_here(source.path, tmp_path / "f", **source.options)
    assert not ops_of(data) & each.absent
    assert remaining(graph_of(data).node) == each.left
    _same(data, source)
    if not lowered:
        data = frozen_here(source.path, tmp_path / "g", **source.options, lower_control_flow=True)
        _same(data, source)


def _updates(x: Any, training: Any, use_resource: bool) -> Any:
    """In training, the branch updates a variable and a table of moments."""
    moments = v1.get_variable(
        "moments", [2, 2], initializer=v1.ones_initializer(), use_resource=use_resource
    )

    def trained() -> Any:
        with tf.control_dependencies([v1.assign(moments, x * 2.0)]):
            return tf.identity(moments) + v1.random_uniform([2, 2])

    return v1.cond(training, trained, lambda: x - moments)


def _by_default(x: Any, _: Any) -> Any:
    training = v1.placeholder_with_default(tf.constant(False), [], name="is_training")
    return _updates(x, training, True)


def _by_default_of_references(x: Any, _: Any) -> Any:
    training = v1.placeholder_with_default(tf.constant(False), [], name="is_training")
    return _updates(x, training, False)


def _by_variable(x: Any, _: Any) -> Any:
    """The predicate is a variable, as in tflearn."""
    training = v1.get_variable("is_training", initializer=False, trainable=False)
    return _updates(x, training, True)


def _by_initialization(x: Any, _: Any) -> Any:
    """The variable is set in the first run, which has taken place."""
    scale = v1.get_variable("scale", [2, 2], initializer=v1.ones_initializer(), use_resource=True)

    def first() -> Any:
        with tf.control_dependencies([scale.assign(x)]):
            return tf.tanh(x)

    return v1.cond(raw.VarIsInitializedOp(resource=scale.handle), lambda: x * scale, first)


@pytest.mark.parametrize(
    ("draw", "lowered"),
    [
        (_by_default, True),
        (_by_default, False),
        (_by_default_of_references, True),
        (_by_variable, True),
        (_by_variable, False),
        (_by_initialization, True),
        (_by_initialization, False),
    ],
)
def test_an_update_in_a_branch_that_never_runs(
    draw: Callable[[Any, Any], Any], lowered: bool, tmp_path: Path
) -> None:
    source = _model(tmp_path / "m", draw, lowered)
    data, notes = frozen_with_notes(source.path, tmp_path / "f", **source.options)
    assert not ops_of(data) & {"Switch", "Merge", "If", "StatelessIf", "RandomUniform", "Tanh"}
    default = "the input 'is_training' became a constant, its default False: to feed it, list all"
    assert notes.startswith(default) if "default" in draw.__name__ else not notes
    _same(data, source)


def test_an_update_in_a_branch_that_may_run(tmp_path: Path) -> None:
    """The control: the predicate is an input, or a variable that the model updates."""
    source = _model(tmp_path / "m", _by_default, True)
    options = {**source.options, "inputs": ("x", "is_training")}
    with pytest.raises(InvalidInput, match="changes the variable 'moments'"):
        frozen_here(source.path, tmp_path / "f", **options)

    def switched(x: Any, on: Any) -> Any:
        training = v1.get_variable("is_training", initializer=False, use_resource=True)
        with tf.control_dependencies([training.assign(on)]):
            return v1.cond(training, lambda: tf.tanh(x), lambda: x)

    source = _model(tmp_path / "n", switched, False)
    with pytest.raises(InvalidInput, match="changes the variable 'is_training'"):
        frozen_here(source.path, tmp_path / "f", **source.options)


def test_an_output_in_a_branch_that_never_runs(tmp_path: Path) -> None:
    def draw(x: Any, _: Any) -> Any:
        off, on = raw.Switch(data=x, pred=tf.constant(False), name="condition")
        tf.tanh(on, name="never")
        return off

    source = _model(tmp_path / "m", draw, True)
    _same(frozen_here(source.path, tmp_path / "f", **source.options), source)
    options = {**source.options, "outputs": ("y", "never")}
    with pytest.raises(InvalidInput, match="the output 'never' never has a value: .*'condition'"):
        frozen_here(source.path, tmp_path / "f", **options)


def test_an_if_that_is_an_output_keeps_its_name(tmp_path: Path) -> None:
    def draw(x: Any, _: Any) -> Any:
        v1.cond(tf.constant(False), lambda: tf.tanh(x), lambda: x * 2.0, name="chosen")
        return x

    source = _model(tmp_path / "m", draw, False)
    options = {**source.options, "outputs": ("chosen",)}
    data = frozen_here(source.path, tmp_path / "f", **options)
    assert run(data, {"x": X}, ["chosen"])["chosen"].tolist() == (X * 2).tolist()
