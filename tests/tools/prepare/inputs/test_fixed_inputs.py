"""Inputs that the app does not feed: `tfcarve transform` with --inputs and --constant."""

from pathlib import Path

import numpy as np
import prepared
import pytest
import tensorflow as tf
from prepared import tf1

from tfcarve import cli
from tfcarve.prepare.graph import graph_file
from tfcarve.prepare.graph.graph import Graph

pytestmark = pytest.mark.usefixtures("reused")

_X = prepared.noise(2, 3)
_FOLD = ("--transforms", "fold_constants")


@pytest.fixture(autouse=True)
def _in_a_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def _draw() -> None:
    x = tf1.placeholder(tf.float32, [2, 3], name="x")
    keep = tf1.placeholder(tf.float32, name="keep_prob")
    offset = tf1.placeholder_with_default(tf.constant(2.0), [], name="offset")
    labels = tf1.placeholder(tf.int32, [None], name="labels")
    tf.negative(labels, name="loss")
    tf.add(tf1.nn.dropout(x, keep), offset, name="y")


@pytest.fixture(name="before")
def _before() -> Graph:
    graph = prepared.drawn(_draw)
    graph_file.write_graph(Path("m.pb"), graph)
    return graph


def _run(*arguments: str) -> int:
    return cli.main(["transform", "m.pb", "-o", "n.pb", "--outputs", "y", *arguments])


def _after() -> Graph:
    return graph_file.read_graph(Path("n.pb"))


def test_a_value(before: Graph, capsys: pytest.CaptureFixture[str]) -> None:
    words = ("--constant", "keep_prob=1", "--inputs", "x", "--preset", "mobile")
    assert _run(*words) == 0
    after = _after()
    assert {n.name for n in after.nodes if n.op.startswith("Placeholder")} == {"x"}
    note = (
        "tfcarve: note: the input 'offset' became a constant, its default 2.0: to feed it, list all"
    )
    assert note in capsys.readouterr().err
    found = prepared.ran(after, {"x": _X}, ["y"])[0]
    expected = prepared.ran(before, {"x": _X, "keep_prob": np.float32(1)}, ["y"])[0]
    assert np.abs(found - expected).max() < 1e-6


def test_an_input_with_a_default(before: Graph, capsys: pytest.CaptureFixture[str]) -> None:
    """It stays an input if it is listed, or if nothing is listed and no transform is for inference."""
    feeds = {"x": _X, "offset": np.float32(5)}
    for words in (("--inputs", "x,offset", *_FOLD), _FOLD):
        assert _run("--constant", "keep_prob=1", *words) == 0
        assert "became a constant" not in capsys.readouterr().err
        found = prepared.ran(_after(), feeds, ["y"])[0]
        assert np.abs(found - (_X + 5)).max() < 1e-6
    assert _run("--constant", "keep_prob=1", "--inputs", "x", *_FOLD) == 0
    assert "'offset' became a constant" in capsys.readouterr().err
    assert "PlaceholderWithDefault" not in prepared.ops(_after())
    assert _run("--constant", "keep_prob=1", "--constant", "offset=7", *_FOLD) == 0
    assert np.abs(prepared.ran(_after(), {"x": _X}, ["y"])[0] - (_X + 7)).max() < 1e-6


def test_an_input_that_is_not_listed(before: Graph, capsys: pytest.CaptureFixture[str]) -> None:
    advice = (
        "m.pb: the outputs need 'keep_prob', which --inputs does not list: add it to --inputs, or make it a constant: "
        "--constant keep_prob=1"
    )
    for steps in ("fold_constants", "obfuscate_names", "rename_node(old_node_name=x, new_node_name=z)"):  # fmt: skip
        assert _run("--inputs", "x", "--transforms", steps) == 2
        assert advice in capsys.readouterr().err and not Path("n.pb").exists()
    # The advice.
    assert _run("--inputs", "x,keep_prob", *_FOLD) == 0
    assert _run("--inputs", "x", "--constant", "keep_prob=1", *_FOLD) == 0


def test_an_input_that_no_output_needs(before: Graph, capsys: pytest.CaptureFixture[str]) -> None:
    words = ("--inputs", "x,keep_prob", "--transforms")
    assert _run(*words, "remove_device") == 0
    note = "the Placeholder 'labels' is not in --inputs, and no output needs it: strip_unused_nodes removes it"
    assert note in capsys.readouterr().err
    assert _run(*words, "strip_unused_nodes") == 0
    assert "labels" not in capsys.readouterr().err


def test_inputs_of_training(before: Graph, capsys: pytest.CaptureFixture[str]) -> None:
    assert _run("--preset", "mobile") == 0
    found = capsys.readouterr().err
    assert (
        "if the input 'keep_prob' matters only for training, --constant keep_prob=1 makes" in found
    )
    assert "'x'" not in found


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("keep_prop=1",), "m.pb: --constant keep_prop: is not a node of the graph; did you mean keep_prob?"),
        (("y=1",), "m.pb: --constant y: the node is a AddV2: only Placeholders get a value"),
        (("keep_prob=no",), "m.pb: --constant keep_prob=no: is neither a number"),
        (("keep_prob",), "--constant takes NAME=VALUE"),
        (("keep_prob=1", "--constant", "keep_prob=2"), "--constant keep_prob: is passed twice"),
        (("x=0", "--inputs", "x"), "m.pb: --constant x: is also in --inputs"),
    ],
)  # fmt: skip
def test_invalid_values(
    arguments: tuple[str, ...], message: str, before: Graph, capsys: pytest.CaptureFixture[str]
) -> None:
    assert _run("--constant", *arguments, *_FOLD) == 2
    assert message in capsys.readouterr().err and not Path("n.pb").exists()
