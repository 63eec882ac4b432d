"""Models with a custom op: full TensorFlow gets the op's library, which the page's command compiles."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import tensorflow as tf

import examples
from tfcarve.cli import main
from tfcarve.op_library import ADVICE

pytest_plugins = ["forked"]
pytestmark = pytest.mark.usefixtures("forked")

v1 = tf.compat.v1
_X = np.array([[1.0, -2.0]], np.float32)
_Y = 2.5 * _X @ np.array([[1.0, 2.0], [3.0, 4.0]], np.float32)


def _page() -> list[str]:
    """The commands of the page's section about preparation."""
    page = examples.runfile("CUSTOM_OP_MD", "docs/how-to/custom-op.md").read_text(encoding="utf-8")
    listed = examples.blocks(examples.section(page, "Prepare a model with custom ops"))
    return [line for kind, text in listed if kind == "sh" for line in text.splitlines()]


@pytest.fixture(name="folder", scope="module")
def _folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the custom op's source and library, a graph that has it, its checkpoint, and an input."""
    folder = tmp_path_factory.mktemp("op")
    with tf.Graph().as_default() as graph, v1.Session() as session:
        x = v1.placeholder(tf.float32, [None, 2], name="x")
        weight = v1.get_variable("w", initializer=tf.constant([[1.0, 2.0], [3.0, 4.0]]))
        scaled = tf.identity(v1.matmul(x, weight), name="scaled")
        tf.identity(scaled, name="y")
        session.run(v1.global_variables_initializer())
        v1.train.Saver().save(session, str(folder / "model.ckpt"))
    definition = graph.as_graph_def()
    node = next(node for node in definition.node if node.name == "scaled")
    node.op = "AppScale"
    node.attr["factor"].f = 2.5
    (folder / "graph.pb").write_bytes(definition.SerializeToString())
    np.save(folder / "x.npy", _X)
    np.savez(folder / "x.npz", x=_X)
    source = examples.runfile("APP_SCALE", "tests/e2e/bzlmod/app_scale.cc")
    (folder / "app_scale.cc").write_bytes(source.read_bytes())
    compile_, *_ = _page()
    command = compile_.replace("$(python ", f"$({sys.executable} ")
    subprocess.run(["bash", "-c", command], check=True, cwd=folder, env={**os.environ, "TF_CPP_MIN_LOG_LEVEL": "3"})  # fmt: skip
    return folder


def test_the_commands_of_the_page(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(folder)
    _, *commands = _page()
    assert [command.split()[1] for command in commands] == ["freeze", "compare"]
    for command in commands:
        assert examples.run(command) == 0, capsys.readouterr().err
    assert "within 1e-05" in capsys.readouterr().out


_LIBRARY = ["--op-library", "app_scale.so"]
_FREEZE = ["--checkpoint", "model.ckpt", "--outputs", "y"]


@pytest.mark.parametrize(
    "words",
    [
        ["freeze", "graph.pb", *_FREEZE, "-o", "OUT"],
        ["compare", "graph.pb", "frozen.pb", *_FREEZE],
        ["compare", "frozen.pb", "frozen.pb"],
        ["golden", "frozen.pb", "--input=x=x.npy", "--output=y=OUT"],
        ["calibrate", "frozen.pb", "--data", "x.npz", "-o", "OUT"],
        ["transform", "graph.pb", *_FREEZE, "-o", "OUT", "--preset", "mobile"],
    ],
    ids=" ".join,
)
def test_each_command_loads_the_library(
    words: list[str],
    folder: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(folder)
    if not Path("frozen.pb").exists():
        assert main(["freeze", "graph.pb", *_FREEZE, *_LIBRARY, "-o", "frozen.pb"]) == 0
    output = tmp_path / "out.npy"
    words = [word.replace("OUT", str(output)) for word in words]
    assert main(words) == 2
    message = capsys.readouterr().err
    assert ADVICE in message and "AppScale" in message and not output.exists()
    assert main([*words, *_LIBRARY]) == 0, capsys.readouterr().err
    if words[0] == "golden":
        assert np.allclose(np.load(output), _Y)


def test_files_that_are_no_libraries(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(folder)
    for file, part in (
        ("none.so", "tfcarve: none.so: no such file: pass the shared library of a custom op"),
        ("app_scale.cc", f"is source code, which select takes (--custom-op); full TensorFlow takes a library: {_page()[0]}"),
        ("x.npy", "x.npy: TensorFlow cannot load this library of custom ops: "),
    ):  # fmt: skip
        for words in (
            ["freeze", "graph.pb", *_FREEZE, "-o", "o.pb"],
            ["compare", "frozen.pb", "frozen.pb"],
            ["golden", "frozen.pb", "--input=x=x.npy", "--output=y=o.npy"],
        ):
            assert main([*words, "--op-library", file]) == 2
            assert part in capsys.readouterr().err
    assert not Path("o.pb").exists() and not Path("o.npy").exists()
