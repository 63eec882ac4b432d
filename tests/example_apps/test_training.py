"""Builds and runs examples/training, and trains the same model in full TensorFlow."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tensorflow as tf

from example_apps import example
from example_apps.example import Example

tf1 = tf.compat.v1
_STEPS = 100
_EVERY = 10
_TOLERANCE = 1e-3


@pytest.fixture(name="app", scope="module")
def _app() -> Iterator[Example]:
    with example.opened("training") as app:
        flags = [*tf.sysconfig.get_compile_flags(), *tf.sysconfig.get_link_flags()]
        words = ["g++", "-O2", "-shared", "-fPIC", "swish.cc", "-o", "swish.so", *flags]
        subprocess.run(words, cwd=app.folder, check=True)
        app.python("make_graph.py", "swish.so")
        yield app


@pytest.fixture(name="expected", scope="module")
def _expected(app: Example) -> list[float]:
    """The losses that full TensorFlow computes."""
    tf.load_op_library(str(app.folder / "swish.so"))
    definition = tf1.GraphDef.FromString((app.folder / "graph.pb").read_bytes())
    with tf1.Graph().as_default() as graph, tf1.Session(graph=graph) as session:
        tf.import_graph_def(definition, name="")
        session.run("initialized:0")
        data = (app.folder / "data.raw").read_bytes()
        rows = len(data) // 12
        points = np.frombuffer(data, np.float32, 2 * rows).reshape(rows, 2)
        labels = np.frombuffer(data, np.int32, rows, 8 * rows)
        fed: dict[str, Any] = {"x:0": points, "labels:0": labels}
        return [float(session.run("trained_loss:0", fed)) for _ in range(_STEPS)]


@pytest.fixture(name="program", scope="module", params=example.PLATFORMS[:2])
def _program(
    app: Example, request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> tuple[str, Path]:
    folder = tmp_path_factory.mktemp("program")
    return request.param, app.copied("//:train", request.param, folder)


def _losses(output: str) -> dict[int, float]:
    rows = [line.split() for line in output.splitlines() if line.startswith("step ")]
    return {int(step): float(loss) for _, step, _, loss in rows}


def test_training(
    app: Example, program: tuple[str, Path], expected: list[float], tmp_path: Path
) -> None:
    platform, file = program
    words = (app.folder / "graph.pb", app.folder / "data.raw", tmp_path / "weights")
    done = example.run(file, platform, *words, "--steps", str(_STEPS))
    assert (done.returncode, done.stderr) == (0, "")
    found = _losses(done.stdout)
    steps = [*range(0, _STEPS, _EVERY), _STEPS - 1]
    assert found == pytest.approx({step: expected[step] for step in steps}, abs=_TOLERANCE)
    assert float(done.stdout.split()[-1]) >= 0.95

    # The weights are a checkpoint of full TensorFlow, and the next run begins where this one ended.
    names = {name for name, _ in tf.train.list_variables(str(tmp_path / "weights"))}
    assert {"w1", "w2", "w3"} <= names
    done = example.run(file, platform, *words, "--steps", "1")
    assert _losses(done.stdout)[0] < found[_STEPS - 1]
    # A control: without the weights it begins with the first loss.
    (tmp_path / "weights.index").unlink()
    done = example.run(file, platform, *words, "--steps", "1")
    assert _losses(done.stdout)[0] == pytest.approx(expected[0], abs=_TOLERANCE)


def test_invalid_input(app: Example, program: tuple[str, Path], tmp_path: Path) -> None:
    platform, file = program
    graph, data = app.folder / "graph.pb", app.folder / "data.raw"
    (tmp_path / "odd.raw").write_bytes(b"x" * 13)
    (tmp_path / "damaged.index").write_bytes(b"no checkpoint")
    refused: dict[str, tuple[str | Path, ...]] = {
        "odd.raw: cannot be read, or is not": (graph, tmp_path / "odd.raw", tmp_path / "w"),
        "is not a file of points": (graph, tmp_path, tmp_path / "w"),
        "gone.pb: can't be read": (tmp_path / "gone.pb", data, tmp_path / "w"),
        "damaged": (graph, data, tmp_path / "damaged"),
        "usage: train": (graph, data, tmp_path / "w", "--steps", "many"),
    }
    for message, words in refused.items():
        done = example.run(file, platform, *words)
        assert done.returncode == 2, message
        assert message in done.stderr
        assert done.stdout == ""
    # A folder that does not exist.
    done = example.run(file, platform, graph, data, tmp_path / "no/folder/w", "--steps", "1")
    assert done.returncode == 2
