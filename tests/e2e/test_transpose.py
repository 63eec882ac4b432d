"""Transposition in a carved library, which is tfcarve's own, against full TensorFlow's, to the bit."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import tensorflow as tf

from e2e import building
from models import frozen

_LIBRARY = "//transposes:library"
# Sizes on both sides of a tile's edge, single elements, nothing to do, and more ranks than Eigen is asked for.
_CASES = (
    ((33, 47), (1, 0)),
    ((16, 32), (1, 0)),
    ((5,), (0,)),
    ((1, 1, 7), (2, 0, 1)),
    ((3, 17, 18), (0, 2, 1)),
    ((3, 17, 18), (2, 0, 1)),
    ((2, 19, 23, 3), (0, 3, 1, 2)),
    ((2, 3, 19, 23), (0, 2, 3, 1)),
    ((2, 3, 4, 5, 6), (4, 2, 0, 3, 1)),
    ((2, 3, 2, 3, 2, 3, 2), (6, 5, 4, 3, 2, 1, 0)),
    ((2, 3, 1, 2, 2, 3, 2, 2, 3), (8, 1, 3, 2, 0, 5, 7, 6, 4)),
    ((0, 3), (1, 0)),
)
_SIZE = max(int(np.prod(shape)) for shape, _ in _CASES)


def _transposed(flat: Any, shape: tuple[int, ...], perm: tuple[int, ...]) -> list[Any]:
    """Each element size that there is, and what conjugates."""
    there = tf.reshape(flat[: int(np.prod(shape))], shape)
    pair = tf.complex(there, -there)
    turned = [
        tf.transpose(there, perm),
        tf.cast(tf.transpose(tf.cast(there, tf.uint8), perm), tf.float32),
        tf.cast(tf.transpose(tf.cast(there, tf.float64), perm), tf.float32),
        tf.math.imag(tf.transpose(pair, perm, conjugate=True)),
    ]
    return [tf.reshape(one, [-1]) for one in turned]


def _model() -> Any:
    with tf.Graph().as_default() as graph:
        flat = tf.compat.v1.placeholder(tf.float32, [_SIZE], name=frozen.INPUT)
        parts = [part for shape, perm in _CASES for part in _transposed(flat, shape, perm)]
        tf.concat(parts, 0, name=frozen.OUTPUT)
    return graph.as_graph_def()


def test_transposes(tmp_path: Path) -> None:
    graph = _model()
    fed = np.random.default_rng(frozen.SEED).uniform(0, 255, _SIZE).astype(np.float32)
    (wanted,) = frozen.run(graph, {frozen.INPUT: fed}, [frozen.OUTPUT])
    assert wanted.size == 4 * sum(int(np.prod(shape)) for shape, _ in _CASES)
    model, given, got = (tmp_path / name for name in ("model.pb", "given.npy", "got.npy"))
    model.write_bytes(graph.SerializeToString(deterministic=True))
    np.save(given, fed)

    with building.app() as workspace:
        workspace.place("transposes", {"model.pb": model}, "*.pb")
        (program,) = workspace.build([_LIBRARY], ["--output_groups=runner"]).files(
            _LIBRARY, "runner"
        )
        subprocess.run(
            [
                program,
                model,
                f"--input={frozen.INPUT}={given}",
                f"--output={frozen.OUTPUT}={got}",
            ],
            check=True,
            timeout=60,
        )
    np.testing.assert_array_equal(np.load(got), wanted)
