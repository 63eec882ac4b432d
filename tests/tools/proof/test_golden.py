"""Tests of tfcarve golden: outputs of full TensorFlow, and errors."""

import importlib.util
import sys
from pathlib import Path

import numpy as np
import pytest
import tensorflow as tf

from tfcarve.cli import main


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """z = x + y, and a second output."""
    folder = tmp_path_factory.mktemp("golden")
    with tf.Graph().as_default() as graph:
        x = tf.compat.v1.placeholder(tf.float32, [2], name="x")
        y = tf.compat.v1.placeholder(tf.float32, [2], name="y")
        tf.add(x, y, name="z")
        tf.split(x, 2, name="halves")
    (folder / "add.pb").write_bytes(graph.as_graph_def().SerializeToString())
    np.save(folder / "x.npy", np.array([1, 2], np.float32))
    np.save(folder / "y.npy", np.array([10, 20], np.float32))
    np.save(folder / "three.npy", np.array([1, 2, 3], np.float32))
    return folder / "add.pb"


def test_outputs_of_full_tensorflow(model: Path, tmp_path: Path) -> None:
    folder = model.parent
    outputs = [f"--output=z={tmp_path / 'z.npy'}", f"--output=halves:1={tmp_path / 'half.npy'}"]
    inputs = [f"--input=x={folder / 'x.npy'}", f"--input=y={folder / 'y.npy'}"]
    assert main(["golden", str(model), *inputs, *outputs]) == 0
    assert np.load(tmp_path / "z.npy").tolist() == [11, 22]
    assert np.load(tmp_path / "half.npy").tolist() == [2]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--output=z=z.npy"], "does not run it"),
        (["--input=x=three.npy", "--output=z=z.npy"], "does not run it"),
        (["--output=nothing=z.npy"], "does not run it"),
        (["--input=x", "--output=z=z.npy"], "--input takes NAME=FILE.npy, not 'x'"),
        (["--output==z.npy"], "--output takes NAME=FILE.npy, not '=z.npy'"),
        (["--input=x=none.npy", "--output=z=z.npy"], "none.npy: no such file"),
    ],
)
def test_bad_input(
    model: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    arguments: list[str],
    message: str,
) -> None:
    monkeypatch.chdir(model.parent)
    assert main(["golden", "add.pb", *arguments]) == 2
    assert message in capsys.readouterr().err
    assert not Path("z.npy").exists()


def test_without_tensorflow(
    model: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    assert main(["golden", str(model), "--output=z=z.npy"]) == 2
    assert (
        f"tensorflow is not installed in {sys.executable}: pip install" in capsys.readouterr().err
    )
