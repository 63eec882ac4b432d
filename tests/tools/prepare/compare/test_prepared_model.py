"""Tests of the properties that tf_prepared_model relies on."""

from __future__ import annotations

import ast
import os
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import tensorflow as tf
from compared import saved, tf1

import extent
from tfcarve.cli import main
from tfcarve.prepare.pipeline import presets

pytestmark = pytest.mark.usefixtures("reused")

_HERE = Path(__file__).parents[4]
_BZL = "rules/private/models/prepared_model.bzl"


def _rule() -> str:
    named = os.environ.get("PREPARED_MODEL_BZL")
    path = Path(os.environ["RUNFILES_DIR"], named) if named else _HERE / _BZL
    return path.read_text(encoding="utf-8")


def test_presets_of_the_rule() -> None:
    found = re.search(r"^PRESETS = (\[[^]]*\])$", _rule(), re.MULTILINE)
    assert found
    assert ast.literal_eval(found[1]) == list(presets.NAMES)


def _draw() -> None:
    chance = np.random.default_rng(2)
    x = tf1.placeholder(tf.float32, [1, 4, 4, 2], name="x")
    for layer in range(3):
        weights = tf.constant(chance.normal(size=(3, 3, 2, 2)).astype(np.float32))
        y = tf.nn.conv2d(x, weights * 2.0, 1, "SAME")
        four = [tf.constant(chance.uniform(1, 2, 2).astype(np.float32)) for _ in range(4)]
        y, *_ = tf1.nn.fused_batch_norm(y, *four, is_training=False)
        x = tf.nn.relu(y, name=f"layer_{layer}")


def test_output_is_deterministic(tmp_path: Path) -> None:
    """The output does not depend on the hash seed."""
    source = saved(tmp_path, "a", _draw)
    created = []
    for seed in extent.of("12", "123"):
        output = tmp_path / f"{seed}.pb"
        words = ["transform", str(source), "-o", str(output), "--preset", "mobile", "--fuse"]
        path = os.pathsep.join(entry for entry in sys.path if entry)
        subprocess.run(
            [sys.executable, "-m", "tfcarve", *words],
            env={**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": path},
            check=True,
            capture_output=True,
        )
        created.append(output.read_bytes())
    assert len(set(created)) == 1
    assert created[0] != source.read_bytes()


def test_compare_accepts_the_prepared_model(tmp_path: Path) -> None:
    source, output = saved(tmp_path, "a", _draw), tmp_path / "b.pb"
    assert main(["transform", str(source), "-o", str(output), "--preset", "mobile", "--fuse"]) == 0
    assert main(["compare", str(source), str(output), "--tolerance", "1e-5"]) == 0
