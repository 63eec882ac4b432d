"""The model of the app that decrypts its model."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import tensorflow as tf

from models import frozen
from tfcarve.cli import main as tfcarve

NAME = "model.pb"


def _graph() -> bytes:
    """A graph of several chunks."""
    drawn = np.random.default_rng(frozen.SEED)
    with tf.Graph().as_default() as graph:
        fed = tf.compat.v1.placeholder(tf.float32, [1, 4], name=frozen.INPUT)
        wide = tf.constant(drawn.uniform(-1, 1, (4, 16384)).astype(np.float32))
        narrow = tf.constant(drawn.uniform(-1, 1, (16384, 3)).astype(np.float32))
        tf.matmul(tf.nn.relu(tf.matmul(fed, wide)), narrow, name=frozen.OUTPUT)
    data: bytes = graph.as_graph_def().SerializeToString(deterministic=True)
    return data


def write(folder: Path) -> dict[str, Path]:
    """Writes the model with aligned constants; returns the file by its name."""
    plain, model = folder / "plain.pb", folder / NAME
    plain.write_bytes(_graph())
    assert tfcarve(["memmap", str(plain), "-o", str(model)]) == 0
    return {NAME: model}
