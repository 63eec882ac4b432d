"""Commands take the names that inputs and outputs have in a signature, and those of their nodes in the frozen graph."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tensorflow as tf
from freeze_running import graph_of, run

from tfcarve.cli import main
from tfcarve.proof import noise

pytest_plugins = ["forked", "in_process"]
pytestmark = pytest.mark.usefixtures("forked", "in_process")

v1 = tf.compat.v1
_INPUT, _OUTPUTS = np.array([[1.0, 2.0]], np.float32), ("my output", "_y", "x")
# The node of each input and output.
_NODES = {"the input": "the_input", "x": "x"}
_FETCHED = {"my output": "my_output", "_y": "t_y", "x": "x_output"}


@pytest.fixture(name="folder", scope="module")
def _folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a SavedModel, its frozen graph, and the values of its inputs."""
    folder = tmp_path_factory.mktemp("names")
    build = v1.saved_model.build_tensor_info
    with tf.Graph().as_default(), v1.Session() as session:
        a, b = (v1.placeholder(tf.float32, [1, 2], name=name) for name in ("a", "b"))
        weight = v1.get_variable("weight", initializer=tf.linalg.diag([3.0, 4.0]))
        outputs = {"my output": v1.matmul(a, weight), "_y": a + b, "x": b * 2.0}
        session.run(v1.global_variables_initializer())
        signature = v1.saved_model.build_signature_def(
            {"the input": build(a), "x": build(b)}, {key: build(y) for key, y in outputs.items()}
        )
        builder = v1.saved_model.Builder(str(folder / "m"))
        builder.add_meta_graph_and_variables(session, ["serve"], {"serving_default": signature})
        builder.save()
    np.savez(folder / "keys.npz", **{"the input": _INPUT, "x": _INPUT + 1})
    np.savez(folder / "nodes.npz", the_input=_INPUT, x=_INPUT + 1)
    np.save(folder / "a.npy", _INPUT)
    np.save(folder / "b.npy", _INPUT + 1)
    return folder


_EXPECTED: Mapping[str, Any] = {"my output": [[3.0, 8.0]], "_y": [[3.0, 5.0]], "x": [[4.0, 6.0]]}


@pytest.fixture(name="frozen")
def _frozen(folder: Path, capsys: pytest.CaptureFixture[str]) -> Path:
    if not (folder / "f.pb").exists():
        assert main(["freeze", str(folder / "m"), "-o", str(folder / "f.pb")]) == 0
        lines = capsys.readouterr().out.splitlines()
        assert lines[-4:] == [
            "the input 'the input' is the node 'the_input'",
            "the output '_y' is the node 't_y'",
            "the output 'my output' is the node 'my_output'",
            "the output 'x' is the node 'x_output'",
        ]
        assert not any(" is the node " in line for line in lines[:-4])
    return folder / "f.pb"


def test_freeze_says_what_it_changed(
    folder: Path, frozen: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["freeze", str(folder / "m"), "-o", str(tmp_path / "f.pb"), "--json"]) == 0
    rows = json.loads(capsys.readouterr().out)
    assert {row["given"]: row["name"] for row in rows if row["kind"] == "output"} == _FETCHED
    feeds = {"the_input": _INPUT, "x": _INPUT + 1}
    found = run(frozen.read_bytes(), feeds, _FETCHED.values())
    assert {key: found[node].tolist() for key, node in _FETCHED.items()} == _EXPECTED


@pytest.mark.parametrize("names", [_OUTPUTS, tuple(_FETCHED.values())])
@pytest.mark.parametrize("data", ["keys.npz", "nodes.npz"])
def test_compare(
    names: tuple[str, ...],
    data: str,
    folder: Path,
    frozen: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    for a, b in ((folder / "m", frozen), (frozen, folder / "m")):
        if a == frozen and data == "keys.npz":
            continue  # B's own names of inputs are tested with --inputs
        words = ["compare", str(a), str(b), "--data", str(folder / data), "--json"]
        assert main([*words, "--outputs", ",".join(names)]) == 0, capsys.readouterr().err
        found = json.loads(capsys.readouterr().out)["outputs"]
        assert {each["name"] for each in found} == set(_FETCHED.values())


def test_compare_says_which_name_is_wrong(
    folder: Path, frozen: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["compare", str(folder / "m"), str(frozen), "--outputs"]
    assert main([*words, "your output"]) == 2
    assert "'your output' is not an output of the model" in capsys.readouterr().err


@pytest.mark.parametrize("model", ["m", "f.pb"])
def test_golden(
    model: str,
    folder: Path,
    frozen: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    # The second run takes the same names, and starts a process that loads TensorFlow.
    monkeypatch.setattr(noise, "run_again", lambda *_: None)
    fed = ["the input", "x"]
    fetched = {key: key for key in _FETCHED}
    if model == "f.pb":  # it does not say that its output was called x, which is an input
        fetched = {**fetched, "x": "x_output"}
    words = [
        f"--input={name}={folder / f'{file}.npy'}" for name, file in zip(fed, "ab", strict=True)
    ]
    words += [f"--output={name}={tmp_path / f'{n}.npy'}" for n, name in enumerate(fetched.values())]
    assert main(["golden", str(folder / model), *words]) == 0, capsys.readouterr().err
    for number, key in enumerate(fetched):
        assert np.load(tmp_path / f"{number}.npy").tolist() == _EXPECTED[key]


@pytest.mark.parametrize("model", ["m", "f.pb"])
def test_transform_and_freeze(
    model: str, folder: Path, frozen: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    output = tmp_path / "o.pb"
    words = [str(folder / model), "-o", str(output), "--outputs", "my output"]
    transforms = ["--transforms", "strip_unused_nodes", "--inputs", "the input"]
    assert main(["transform", *words, *transforms]) == 0, capsys.readouterr().err
    found = run(output.read_bytes(), {"the_input": _INPUT}, ["my_output"])
    assert found["my_output"].tolist() == _EXPECTED["my output"]
    assert {n.name for n in graph_of(output.read_bytes()).node if n.op == "Placeholder"} == {"the_input"}  # fmt: skip
    if model == "m":
        assert main(["freeze", *words, "--inputs", "the input"]) == 0
        found = run(output.read_bytes(), {"the_input": _INPUT}, ["my_output"])
        assert found["my_output"].tolist() == _EXPECTED["my output"]
        assert main(["freeze", *words[:-1], "my outputs"]) == 2
        assert (
            "does not have a node 'my outputs'; did you mean my output" in capsys.readouterr().err
        )


def test_inspect_shows_names_that_run(
    folder: Path, frozen: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for options in ([], ["--freeze"]):
        assert main(["inspect", str(folder / "m"), "--json", *options]) == 0
        document = json.loads(capsys.readouterr().out)
        (signature,) = document["signatures"].values()
        assert {tensor["name"] for tensor in signature["outputs"]} == set(_OUTPUTS)
        words = next(words for words in document["commands"] if words[0] == "run_model")
        named = {word.partition("=")[0] for word in words[2:] if not word.startswith("--")}
        assert named == {*_NODES.values(), *_FETCHED.values()}


@pytest.mark.parametrize("model", ["m", "f.pb"])
@pytest.mark.parametrize("data", ["keys.npz", "nodes.npz"])
def test_calibrate(
    model: str,
    data: str,
    folder: Path,
    frozen: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    words = ["--data", str(folder / data), "-o", str(tmp_path / "ranges.json")]
    assert main(["calibrate", str(folder / model), *words]) == 0, capsys.readouterr().err
