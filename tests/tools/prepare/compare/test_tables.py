"""Graphs with lookup tables that are not initialized: what the commands say of them, and whether the advice is right."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest
import tensorflow as tf
from compared import tf1

from tfcarve.cli import main

pytest_plugins = ["forked"]
pytestmark = pytest.mark.usefixtures("forked", "reused")

_KEYS, _VALUES = ["a", "b"], [3, 7]


@pytest.fixture(name="model")
def _model(tmp_path: Path) -> Path:
    """A graph that initializes its table only if its init op runs first."""
    with tf1.Graph().as_default() as graph:
        x = tf1.placeholder(tf.string, [None], name="x")
        initializer = tf.lookup.KeyValueTensorInitializer(tf.constant(_KEYS), tf.constant(_VALUES))
        table = tf.lookup.StaticHashTable(initializer, -1)
        tf.identity(table.lookup(x), name="y")
        tf1.tables_initializer()
    path = tmp_path / "m.pb"
    path.write_bytes(graph.as_graph_def().SerializeToString())
    return path


@pytest.fixture(name="stripped")
def _stripped(model: Path) -> Path:
    """The same graph as TensorFlow's freeze_graph leaves it: without the initializer."""
    graph = tf1.GraphDef.FromString(model.read_bytes())
    path = model.with_name("stripped.pb")
    path.write_bytes(tf1.graph_util.extract_sub_graph(graph, ["y"]).SerializeToString())
    return path


def _error(capsys: pytest.CaptureFixture[str], *words: object) -> str:
    assert main(list(map(str, words))) == 2
    return capsys.readouterr().err


def _advised(text: str, **values: object) -> list[str]:
    """Returns the words of the command that a message advises, with values in place of OUT and NAMES."""
    command = re.search(r"tfcarve (freeze \S+ --outputs \S+ -o OUT)", text)
    assert command, text
    return [str(values.get(word, word)) for word in command[1].split()]


def test_a_table_that_an_app_must_initialize(
    model: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    np.save(tmp_path / "x.npy", np.array(["b", "z"]))
    golden = (f"--input=x={tmp_path / 'x.npy'}", f"--output=y={tmp_path / 'y.npy'}")
    assert main(["inspect", str(model)]) == 0
    shown = capsys.readouterr().out
    assert "warning: lookup table 'hash_table' is not initialized when the outputs are" in shown
    for command in (("compare", model, model), ("golden", model, *golden)):
        error = _error(capsys, *command)
        assert "Table not initialized" in error and "--data" not in error
        assert "fails unless 'key_value_init/LookupTableImportV2' has run in the session" in error
        assert _advised(error) == _advised(shown)
    frozen = tmp_path / "frozen.pb"
    assert main(_advised(shown, OUT=frozen, NAMES="y")) == 0
    assert main(["golden", str(frozen), *golden]) == 0
    assert np.load(tmp_path / "y.npy").tolist() == [7, -1]


def test_a_transform_that_removes_an_initializer(
    model: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    made = tmp_path / "made.pb"
    words = ("transform", model, "-o", made, "--outputs", "y", "--transforms")
    error = _error(capsys, *words, "strip_unused_nodes")
    assert "the transforms remove the initializer of lookup table 'hash_table'" in error
    assert not made.exists()
    assert main(list(map(str, (*words, "remove_device")))) == 0, "the initializer stays"
    assert main(_advised(error, OUT=made)) == 0
    assert main(["transform", str(made), "-o", str(made), "--preset", "mobile"]) == 0


def test_a_table_that_nothing_initializes(
    stripped: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    why = "lookup table 'hash_table' is never initialized: 'hash_table_Lookup/LookupTableFindV2'"
    assert main(["inspect", str(stripped)]) == 0
    assert f"warning: {why}" in capsys.readouterr().out
    made = tmp_path / "made.pb"
    for command in (
        ("compare", stripped, stripped),
        ("transform", stripped, "-o", made, "--transforms", "remove_device"),
    ):
        error = _error(capsys, *command)
        assert why in error and "freeze the original model with tfcarve freeze" in error
    assert not made.exists()
