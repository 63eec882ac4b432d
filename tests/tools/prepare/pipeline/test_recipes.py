"""docs/recipes.md: its commands run as written, and the transformed models have the outputs of the source."""

from __future__ import annotations

import os
import re
import shlex
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tensorflow as tf

from tfcarve.cli import main
from tfcarve.prepare.graph import graph_file

pytestmark = pytest.mark.usefixtures("reused")

# The largest accepted difference of the probabilities, by output file.
_TOLERANCE = {
    "deployed.pb": "1e-5",
    "inference.pb": "1e-5",
    "rounded.pb": "3e-2",
    "bytes.pb": "3e-2",
    "renamed.pb": "0",
    "quantized.pb": "5e-2",
}


def _commands() -> list[list[str]]:
    text = Path(os.environ["RUNFILES_DIR"], os.environ["RECIPES_MD"]).read_text(encoding="utf-8")
    blocks = re.findall(r"^```sh\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    return [shlex.split(line) for block in blocks for line in block.splitlines()]


def _model() -> Any:
    """A small network like that of the guides: 299 x 299 pixels, batch normalization, probabilities, and a loss."""
    drawn = np.random.default_rng(1)

    def constant(*shape: int) -> Any:
        return tf.constant(drawn.standard_normal(shape).astype(np.float32) / 4)

    with tf.Graph().as_default() as graph:
        image = tf.compat.v1.placeholder(tf.float32, [None, 299, 299, 3], name="input")
        created = tf.nn.conv2d(tf.identity(image), constant(7, 7, 3, 16), 8, "SAME")
        created = tf.compat.v1.nn.fused_batch_norm(
            created,
            constant(16) + 1,
            constant(16),
            constant(16),
            tf.abs(constant(16)) + 1,
            is_training=False,
        )[0]
        created = tf.nn.max_pool2d(tf.nn.relu(created), 4, 4, "SAME")
        created = tf.reshape(created, [-1, 10 * 10 * 16])
        created = tf.nn.bias_add(tf.matmul(created, constant(1600, 10) / 10), constant(10))
        tf.nn.l2_loss(created, name="loss")
        tf.nn.softmax(created, name="output")
    return graph.as_graph_def()


@pytest.fixture(name="folder")
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "model.pb").write_bytes(_model().SerializeToString())
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_commands(folder: Path) -> None:
    commands = _commands()
    assert [words[:2] for words in commands] == [
        *([["tfcarve", "transform"]] * len(_TOLERANCE)),
        ["tfcarve", "compare"],
    ]
    for words in commands:
        assert main(words[1:]) == 0, words
    for file, tolerance in _TOLERANCE.items():
        assert main(["compare", "model.pb", file, "--tolerance", tolerance]) == 0, file
        if file != "renamed.pb":
            assert not {"FusedBatchNorm", "FusedBatchNormV3", "L2Loss"} & _ops(folder / file), file
    # The controls: the source has these ops, and quantized models are not exactly equal.
    assert {"FusedBatchNormV3", "L2Loss"} <= _ops(folder / "model.pb")
    assert main(["compare", "model.pb", "quantized.pb", "--tolerance", "1e-5"]) == 1
    assert {"QuantizedConv2D", "QuantizedMatMul"} <= _ops(folder / "quantized.pb")


def _ops(path: Path) -> set[str]:
    return {node.op for node in graph_file.read_graph(path).nodes}


def _command(output: str) -> list[str]:
    return next(words for words in _commands() if output in words)[1:]


def test_quantized_files_are_a_quarter_of_the_size(folder: Path) -> None:
    source = (folder / "model.pb").stat().st_size
    assert main(_command("bytes.pb")) == 0
    assert (folder / "bytes.pb").stat().st_size < 0.4 * source


def test_names_are_short(folder: Path) -> None:
    assert main(_command("renamed.pb")) == 0
    before, after = (
        {node.name for node in graph_file.read_graph(folder / file).nodes}
        for file in ("model.pb", "renamed.pb")
    )
    assert after & before == {"input", "output"}
    assert len(after) == len(before)
    assert max(map(len, after - before)) <= 2 < max(map(len, before))
    assert (folder / "renamed.pb").stat().st_size < (folder / "model.pb").stat().st_size
