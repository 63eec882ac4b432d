"""The tables of preparation, and what runs in full TensorFlow for them."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import tensorflow as tf

from benchmarks.measure import Usage
from benchmarks.preparation import prepare, prepare_reference, prepare_table
from benchmarks.preparation.prepare_table import Comparison, Prepared

_SOURCE = Prepared("net", "source", 40, 9_000, 2, 0.0)
_PREPARED = Prepared("net", "`mobile`", 10, 8_000, 0, 3e-7)
_OTHER = Prepared("net", "Grappler", 20, 8_500, 2, 0.0)
_COMPARISON = Comparison(
    100, Usage(1.5, 2.0, 300), Usage(12.25, 13.0, 2_500_000), (95_000_000, 191_000_000)
)


def test_pipeline() -> None:
    lines = prepare_table.pipeline(_COMPARISON).splitlines()
    assert lines[2:] == [
        "| `tfcarve transform` | 1.50 s | 2.00 s | 0.3 kB | 3.0x the file | 95,000,000 |",
        "| `transform_graph` | 12.2 s | 13.0 s | 2.5 MB | 25000.0x the file | 191,000,000 |",
    ]


def test_models() -> None:
    rows = [_PREPARED, replace(_OTHER, difference=None), replace(_SOURCE, difference=0.25)]
    assert prepare_table.models(rows).splitlines()[2:] == [
        "| net | `mobile` | 10 | 8,000 | 0 | 3.0e-07 |",
        "| net | Grappler | 20 | 8,500 | 2 | can't run |",
        "| net | source | 40 | 9,000 | 2 | 2.5e-01 (!) |",
    ]


@pytest.mark.parametrize(
    ("prepared", "expected"),
    [
        (_PREPARED, []),
        (replace(_PREPARED, nodes=21), ["net: 21 nodes, the best of the others has 20"]),
        (replace(_PREPARED, bytes=8_501), ["net: 8,501 bytes, the best of the others has 8,500"]),
        (replace(_PREPARED, norms=1), ["net: 1 batch normalizations are left"]),
        (replace(_PREPARED, difference=0.5), ["net: the difference is 5.0e-01 (!)"]),
        (replace(_PREPARED, difference=None), ["net: the difference is can't run"]),
    ],
)
def test_goals(prepared: Prepared, expected: list[str]) -> None:
    wrong = Prepared("net", "`transform_graph`", 1, 1, 0, 0.5)
    other = replace(wrong, model="other", difference=0.0)
    assert (
        prepare_table.missed(_COMPARISON, [_SOURCE, prepared, _OTHER, wrong, other], "`mobile`")
        == expected
    )


def test_goals_of_a_pipeline() -> None:
    slow = replace(_COMPARISON, tfcarve=Usage(12.5, 1.0, 401))
    assert prepare_table.missed(slow, [], "`mobile`") == [
        "the pipeline: 12.5 s, the other takes 12.2 s",
        "the pipeline: memory of 4.0x the file",
    ]


def test_text() -> None:
    page = prepare.text("a machine", "a build", _COMPARISON, [_SOURCE, _PREPARED, _OTHER])
    assert "a machine. Running at the same time: a build." in page
    assert page.endswith("All goals are met.\n")
    worse = prepare.text(
        "a machine", "a build", _COMPARISON, [_SOURCE, replace(_PREPARED, norms=3), _OTHER]
    )
    assert worse.endswith("Missed goals:\n\n- net: 3 batch normalizations are left\n")


def test_grappler_and_running(tmp_path: Path) -> None:
    with tf.Graph().as_default() as graph:
        x = tf.compat.v1.placeholder(tf.float32, [2], name="input")
        tf.multiply(tf.identity(x), tf.sqrt(tf.constant([4.0, 9.0])), name="output")
    model, made, fed, output = (tmp_path / n for n in ("a.pb", "b.pb", "x.npy", "y.npy"))
    model.write_bytes(graph.as_graph_def().SerializeToString())
    np.save(fed, np.array([1, 10], np.float32))
    assert prepare_reference.main(["optimize", str(model), str(made)]) == 0
    after = tf.compat.v1.GraphDef.FromString(made.read_bytes())
    assert "Sqrt" in {node.op for node in graph.as_graph_def().node}
    assert "Sqrt" not in {node.op for node in after.node}
    for one in (model, made):
        assert prepare_reference.main(["run", str(one), str(fed), str(output)]) == 0
        assert np.load(output).tolist() == [2, 30]
