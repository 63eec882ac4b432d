"""Graphs drawn with TensorFlow, and `tfcarve compare` run on them."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")

import numpy as np
import pytest
import tensorflow as tf

from tfcarve.cli import main
from tfcarve.prepare.compare.side import Side
from tfcarve.prepare.evaluate.evaluator import Evaluator
from tfcarve.prepare.graph import graph_file

tf1 = tf.compat.v1
Draw = Callable[[], object]


def saved(folder: Path, name: str, draw: Draw) -> Path:
    """Writes the graph that `draw` creates in TensorFlow's default graph to NAME.pb."""
    with tf.Graph().as_default() as made:
        draw()
    path = folder / f"{name}.pb"
    path.write_bytes(made.as_graph_def().SerializeToString())
    return path


@contextmanager
def sides(*paths: Path) -> Iterator[list[Side]]:
    """Loads the models in one TensorFlow process."""
    with ExitStack() as stack:
        evaluator = stack.enter_context(Evaluator(1 << 20))
        loaded = []
        for path in paths:
            graph = graph_file.read_graph(path)
            model = stack.enter_context(evaluator.loaded(graph))
            loaded.append(Side(path.name, graph, model, model.outputs()))
        yield loaded


def compared(capsys: pytest.CaptureFixture[str], *words: object) -> tuple[int, dict[str, Any], str]:
    """Runs `tfcarve compare --json`; returns its status, its document and its standard error."""
    capsys.readouterr()
    status = main(["compare", *map(str, words), "--json"])
    printed = capsys.readouterr()
    return status, json.loads(printed.out) if printed.out else {}, printed.err


def two_layers(first: float = 1.0, second: float = 1.0) -> Draw:
    """Draws x [?, 3] -> a -> b -> y; the weights of each layer are scaled by a number."""
    weights = np.random.default_rng(5).uniform(-1, 1, (2, 3, 3)).astype(np.float32)

    def draw() -> None:
        x = tf1.placeholder(tf.float32, [None, 3], name="x")
        a = tf.matmul(x, tf.constant(weights[0] * np.float32(first), name="a_weights"), name="a")
        a = tf.tanh(a, name="a_tanh")
        b = tf.matmul(a, tf.constant(weights[1] * np.float32(second), name="b_weights"), name="b")
        tf.identity(b, name="y")

    return draw
