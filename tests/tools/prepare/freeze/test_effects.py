"""Side effects: those that no output needs are removed, and a model whose outputs need one is rejected with the way to them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tensorflow as tf
from conditional_graphs import control_flow
from effect_sources import (
    REFUSED,
    REMOVED,
    checkpointed,
    raw,
    saved_model,
    v1,
    variable,
    with_iterator,
    with_queue,
)
from freeze_running import frozen_here, frozen_with_notes, ops_of, outputs_of, run
from freeze_sources import MAKERS

from tfcarve.errors import InvalidInput


@pytest.mark.parametrize("name", REMOVED)
def test_removed(name: str, tmp_path: Path) -> None:
    make, note, op = REMOVED[name]
    source = make(tmp_path / "m")
    data, notes = frozen_with_notes(source.path, tmp_path / "f", **source.options)
    assert note in notes and len(notes.splitlines()) == 1 + (name == "Print")
    assert op not in ops_of(data)
    assert not {"VarHandleOp", "ReadVariableOp", "VariableV2", "If", "While"} & ops_of(data)
    found = outputs_of(data, source)["y"]
    assert np.abs(found - source.expected["y"]).max() < 1e-6


@pytest.mark.parametrize("name", REFUSED)
def test_refused(name: str, tmp_path: Path) -> None:
    make, parts = REFUSED[name]
    source = make(tmp_path / "m")
    with pytest.raises(InvalidInput) as raised:
        frozen_here(source.path, tmp_path / "f", **source.options)
    found = str(raised.value)
    places = [found.find(part) for part in parts]
    assert -1 not in places and places == sorted(places), found


def test_a_removed_assertion_reads_nothing(tmp_path: Path) -> None:
    source = REFUSED["counter that is checked"][0](tmp_path / "m")
    data, notes = frozen_with_notes(source.path, tmp_path / "f", assertions="drop")
    assert "reads: calls" in notes and "removed assertions: " in notes
    assert outputs_of(data, source)["y"].tolist() == source.expected["y"].tolist()


def test_assertions_are_dropped_on_demand(tmp_path: Path) -> None:
    source = MAKERS["v2 assertion"](tmp_path / "m")
    kept, notes = frozen_with_notes(source.path, tmp_path / "f", **source.options)
    assert "Assert" in ops_of(kept) and not notes
    options = {**source.options, "assertions": "drop"}
    data, notes = frozen_with_notes(source.path, tmp_path / "g", **options)
    assert notes.startswith("removed assertions: ")
    assert ops_of(data) == {"Placeholder", "Mul", "AddV2", "Const", "Identity"}
    assert run(data, {"x": -source.feeds["x"]}, ["x_output"])["x_output"].tolist() == [-2, -4]


def test_an_iterator_that_an_output_reads(tmp_path: Path) -> None:
    source = with_iterator(tmp_path / "m")
    with pytest.raises(InvalidInput) as raised:
        frozen_here(source.path, tmp_path / "f", **source.options)
    found = str(raised.value)
    assert (
        "IteratorGetNext gets examples from a dataset or a queue, and the output 'y' needs" in found
    )
    advice = "--inputs examples,examples:1"
    assert "-> examples -> add -> y)" in found and found.endswith(advice)
    inputs = tuple(advice.split()[1].split(","))
    data = frozen_here(source.path, tmp_path / "g", **source.options, inputs=inputs)
    fed = {"examples": [1.0, 2.0], "examples_1": 5.0}
    assert run(data, fed, ["y"])["y"].tolist() == [6, 7]


def test_a_queue_that_an_output_reads(tmp_path: Path) -> None:
    source = with_queue(tmp_path / "m")
    with pytest.raises(
        InvalidInput, match="'taken': QueueDequeueV2 gets examples .* --inputs taken$"
    ):
        frozen_here(source.path, tmp_path / "f", **source.options)
    data = frozen_here(source.path, tmp_path / "g", **source.options, inputs=("taken",))
    assert outputs_of(data, source)["y"].tolist() == source.expected["y"].tolist()


def _asserts_in_a_loop(x: Any) -> Any:
    def body(i: Any, v: Any) -> Any:
        with tf.control_dependencies([v1.assert_less(v, 100.0)]):
            return i + 1, v * 2.0

    with tf.control_dependencies([v1.assert_less(x, 9.0)]):
        return v1.while_loop(lambda i, v: i < 2, body, [0, x])[1]


@pytest.mark.parametrize("lowered", [True, False])
def test_assertions_with_lowered_control_flow(lowered: bool, tmp_path: Path) -> None:
    with control_flow(lowered):
        source = checkpointed(tmp_path / "m", _asserts_in_a_loop)
    kept = frozen_here(source.path, tmp_path / "f", **source.options)
    with pytest.raises(tf.errors.InvalidArgumentError, match="assertion failed"):
        run(kept, {"x": [10.0, 1.0]}, ["y"])
    data = frozen_here(source.path, tmp_path / "g", **source.options, assertions="drop")
    assert not ops_of(data) & {"Assert", "If", "StatelessIf"}
    assert lowered == ("All" in ops_of(data))  # conditions that put constants into the loop's frame
    assert outputs_of(data, source)["y"].tolist() == source.expected["y"].tolist()
    assert run(data, {"x": [10.0, 1.0]}, ["y"])["y"].tolist() == [40, 4]


def test_other_side_effects_stay(tmp_path: Path) -> None:
    file = tmp_path / "written"

    def draw(x: Any) -> Any:
        text = tf.strings.as_string(variable("v", True)[0])
        with tf.control_dependencies([raw.WriteFile(filename=str(file), contents=text)]):
            return x * 2.0

    source = checkpointed(tmp_path / "m", draw)
    file.unlink()
    data, notes = frozen_with_notes(source.path, tmp_path / "f", **source.options)
    assert outputs_of(data, source)["y"].tolist() == source.expected["y"].tolist()
    assert file.read_text().startswith("1") and not notes


def test_a_table_that_is_listed(tmp_path: Path) -> None:
    def make(module: Any) -> Any:
        module.table = tf.lookup.experimental.MutableHashTable(tf.int64, tf.float32, 0.5)
        module.table.insert([1], [2.0])
        return lambda x: x + tf.reduce_sum(module.table.export()[1])

    source = saved_model(tmp_path / "m", make)
    with pytest.raises(
        InvalidInput, match="LookupTableExportV2 lists the table 'MutableHashTable'"
    ):
        frozen_here(source.path, tmp_path / "f")


def test_a_reference_that_is_written_to_an_array(tmp_path: Path) -> None:
    """The op takes a resource and the value of a variable, which it does not change."""

    def draw(x: Any) -> Any:
        array = tf.TensorArray(tf.float32, 1)
        return x + array.write(0, variable("v", False)).read(0)

    with control_flow(True):
        source = checkpointed(tmp_path / "m", draw)
    data = frozen_here(source.path, tmp_path / "f", **source.options)
    assert outputs_of(data, source)["y"].tolist() == source.expected["y"].tolist()
