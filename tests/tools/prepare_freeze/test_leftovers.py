"""tfcarve's commands remove the input decoding that `tfcarve select` reports, as it says."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest
import tensorflow as tf
from freeze_running import graph_of, ops_of, run

from tfcarve.cli import main
from tfcarve.models import read
from tfcarve.releases import known
from tfcarve.selection import leftover_kinds
from tfcarve.selection.input_decoding import decoding

v1 = tf.compat.v1


def _sound(second_only: bool) -> None:
    audio, rate = tf.audio.decode_wav(v1.placeholder(tf.string, [], name="file"), name="decoded")
    number = tf.cast(-rate, tf.float32)
    tf.multiply(number if second_only else audio * number, 2.0, name="y")


def _picture() -> None:
    pixels = tf.io.decode_png(v1.placeholder(tf.string, [], name="file"), 3)
    tf.multiply(tf.cast(pixels, tf.float32, name="decoded"), 2.0, name="y")


def _reported(path: Path) -> Mapping[str, str]:
    kinds = leftover_kinds.load(known.release())
    return decoding(list(read.read(path).nodes), frozenset("y"), kinds.decoding)


def _save(path: Path, draw: Callable[[], None]) -> None:
    with tf.Graph().as_default() as graph:
        draw()
    path.write_bytes(graph.as_graph_def().SerializeToString())


@pytest.mark.parametrize(
    ("second_only", "inputs"), [(False, "decoded,decoded:1"), (True, "decoded:1")]
)
def test_decoding_with_several_tensors(second_only: bool, inputs: str, tmp_path: Path) -> None:
    path, output = tmp_path / "m.pb", tmp_path / "f.pb"
    _save(path, lambda: _sound(second_only))
    (transform,) = set(_reported(path).values())
    (named,) = re.findall(r"tfcarve freeze with --inputs (\S+) and", transform)
    assert named == inputs
    assert main(["freeze", str(path), "-o", str(output), f"--inputs={named}", "--outputs=y"]) == 0
    data = output.read_bytes()
    assert _reported(output) == {} and "DecodeWav" not in ops_of(data)
    fed = {n.name: 3 if n.name == "decoded_1" else [[2.0]] for n in graph_of(data).node}
    fed = {n.name: fed[n.name] for n in graph_of(data).node if n.op == "Placeholder"}
    assert run(data, fed, ["y"])["y"].tolist() == (-6 if second_only else [[-12]])


def test_decoding_with_one_tensor(tmp_path: Path) -> None:
    path, output = tmp_path / "m.pb", tmp_path / "f.pb"
    _save(path, _picture)
    (transform,) = set(_reported(path).values())
    (named,) = re.findall(r"strip_unused_nodes with '(\S+)' as the input", transform)
    words = ["-o", str(output), f"--inputs={named}", "--outputs=y"]
    assert main(["transform", str(path), *words, "--transforms=strip_unused_nodes"]) == 0
    data = output.read_bytes()
    assert _reported(output) == {} and "DecodePng" not in ops_of(data)
    assert run(data, {named: [1.0, 2.0]}, ["y"])["y"].tolist() == [2, 4]
