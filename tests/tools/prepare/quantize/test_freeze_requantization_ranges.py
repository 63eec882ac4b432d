"""Tests of freeze_requantization_ranges."""

import re
import tracemalloc
from pathlib import Path

import calibrated
import numpy as np
import prepared
import pytest
import tensorflow as tf
from prepared import tf1

from tfcarve.errors import InvalidInput
from tfcarve.prepare.evaluate.evaluator import Evaluator
from tfcarve.prepare.graph.graph import Graph, by_name
from tfcarve.prepare.graph.nodes import value
from tfcarve.prepare.quantize.ranges import Ranges, TensorRange

_X = prepared.noise(2, 4)
_LOGGING = 'insert_logging(op=RequantizationRange, show_name=true, message="__requant_min_max:")'


def _draw() -> None:
    x = tf1.placeholder(tf.float32, (2, 4), name="x")
    a = tf.raw_ops.QuantizeV2(input=x, min_range=-1.0, max_range=1.0, T=tf.quint8)
    w = tf.raw_ops.QuantizeV2(
        input=prepared.noise(4, 3), min_range=-1.0, max_range=1.0, T=tf.quint8
    )
    product = tf.raw_ops.QuantizedMatMul(
        a=a.output, b=w.output, min_a=a.output_min, max_a=a.output_max, min_b=w.output_min, max_b=w.output_max
    )  # fmt: skip
    found = tf.raw_ops.RequantizationRange(
        input=product.out, input_min=product.min_out, input_max=product.max_out, name="range"
    )
    small = tf.raw_ops.Requantize(
        input=product.out, input_min=product.min_out, input_max=product.max_out,
        requested_output_min=found.output_min, requested_output_max=found.output_max, out_type=tf.quint8,
    )  # fmt: skip
    tf.raw_ops.Dequantize(
        input=small.output, min_range=small.output_min, max_range=small.output_max, name="y"
    )


def _log(path: Path, *ranges: tuple[float, float], name: str = "range") -> None:
    lines = [
        f"I tensorflow/print.cc] ;{name}__print__;__requant_min_max:[{a}][{b}]" for a, b in ranges
    ]
    path.write_text(
        "\n".join(["starting", *lines, ";broken__print__;__requant_min_max:[1]", "done"])
    )


def _frozen(path: Path, evaluator: Evaluator, parameters: str = "") -> Graph:
    return prepared.transformed(
        prepared.drawn(_draw),
        f'freeze_requantization_ranges(min_max_log_file="{path}"{parameters})',
        evaluator,
    )


def test_the_log_of_insert_logging(
    tmp_path: Path, evaluator: Evaluator, capfd: pytest.CaptureFixture[str]
) -> None:
    before = prepared.drawn(_draw)
    logging = prepared.transformed(before, _LOGGING, evaluator)
    prepared.ran(logging, {"x": _X}, ["y"])
    log = tmp_path / "run.log"
    log.write_text(capfd.readouterr().err)
    assert re.search(r";range__print__;__requant_min_max:\[", log.read_text())
    after = _frozen(log, evaluator)
    assert "RequantizationRange" not in prepared.ops(after)
    assert prepared.difference(before, after, {"x": _X}) < 1e-3
    assert np.abs(prepared.ran(before, {"x": _X}, ["y"])[0]).max() > 0.1


@pytest.mark.parametrize(
    ("parameters", "low", "high"),
    [
        ("", -18, 18),
        (", min_percentile=0, max_percentile=0", -19, 19),
        (", min_percentile=50, max_percentile=100", -9, 0),
    ],
)
def test_percentiles(
    parameters: str, low: float, high: float, tmp_path: Path, evaluator: Evaluator
) -> None:
    log = tmp_path / "run.log"
    _log(log, *((-i, i) for i in range(20)))
    nodes = by_name(_frozen(log, evaluator, parameters))
    found = [float(value(nodes[f"range/frozen_{end}"])) for end in ("min", "max")]
    assert found == [low, high + (1 if parameters == "" else 0)]


def test_memory_is_that_of_the_log(tmp_path: Path, evaluator: Evaluator) -> None:
    log = tmp_path / "run.log"
    _log(log, (-1, 1))
    _frozen(log, evaluator)  # fills what is computed once
    tracemalloc.start()
    try:
        _frozen(log, evaluator)
        assert tracemalloc.get_traced_memory()[1] < 10_000_000
    finally:
        tracemalloc.stop()


def test_ends_beyond_float32_are_ignored(tmp_path: Path, evaluator: Evaluator) -> None:
    log = tmp_path / "run.log"
    _log(log, (-1, 2), (-1e300, 1e300))
    nodes = by_name(_frozen(log, evaluator, ", min_percentile=0, max_percentile=0"))
    assert [float(value(nodes[f"range/frozen_{end}"])) for end in ("min", "max")] == [-1, 2]


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("rang", "the log names 'rang', which is not a node of the graph; did you mean range"),
        ("y", "node 'y': is a Dequantize, not a RequantizationRange"),
    ],
)
def test_a_log_of_another_graph(
    name: str, message: str, tmp_path: Path, evaluator: Evaluator
) -> None:
    log = tmp_path / "run.log"
    _log(log, (-1, 1), name=name)
    with pytest.raises(InvalidInput, match=message):
        _frozen(log, evaluator)


def test_missing_or_empty_log(tmp_path: Path, evaluator: Evaluator) -> None:
    log = tmp_path / "run.log"
    with pytest.raises(InvalidInput, match="run.log: No such file"):
        _frozen(log, evaluator)
    log.write_bytes(b"\xff;a__print__;__requant_min_max:[x][nan]")
    with pytest.raises(
        InvalidInput, match=r"run.log: contains no ranges: log them with insert_logging"
    ):
        _frozen(log, evaluator)
    _log(log, (-1, 1))
    with pytest.raises(InvalidInput, match="min_percentile=101"):
        _frozen(log, evaluator, ", min_percentile=101")
    with pytest.raises(InvalidInput, match="the parameter 'min_max_log_file' is required"):
        prepared.transformed(prepared.drawn(_draw), "freeze_requantization_ranges", evaluator)


def _with_ranges(path: Path, evaluator: Evaluator, more: str = "") -> Graph:
    steps = f'freeze_requantization_ranges(ranges="{path}"{more})'
    return prepared.transformed(prepared.drawn(_draw), steps, evaluator)


def test_calibrated_ranges(tmp_path: Path, evaluator: Evaluator) -> None:
    before = prepared.drawn(_draw)
    path = calibrated.written(tmp_path, before, np.stack([_X, _X * 0.5]), evaluator)
    after = _with_ranges(path, evaluator)
    assert "RequantizationRange" not in prepared.ops(after)
    assert prepared.difference(before, after, {"x": _X}) < 1e-3
    wanted = [float(prepared.ran(before, {"x": _X}, [f"range:{i}"])[0]) for i in range(2)]
    nodes = by_name(after)
    found = [float(value(nodes[f"range/frozen_{end}"])) for end in ("min", "max")]
    assert found == pytest.approx(wanted, rel=1e-4)


@pytest.mark.parametrize(
    ("tensor", "ends", "more", "message"),
    [
        ("rang", (-1, 1), "", "names 'rang', which is not a node of the graph; did you mean range"),
        ("y", (-1, 1), "", "has no range of a RequantizationRange: run `tfcarve calibrate`"),
        ("range", (1, -1), "", "tensor 'range': the range from 1 to -1 is empty"),
        ("range", (0, 1e39), "", "tensor 'range': .* is not finite in float32"),
        ("range", (-1, 1), ', min_max_log_file="a"', "pass either ranges or min_max_log_file"),
    ],
)
def test_wrong_ranges(
    tensor: str,
    ends: tuple[float, float],
    more: str,
    message: str,
    tmp_path: Path,
    evaluator: Evaluator,
) -> None:
    rows = (TensorRange(tensor, *map(float, ends)),)
    document = Ranges(
        version=1, model_sha256="0" * 64, method="minmax", percentile=None, samples=1, ranges=rows
    )
    path = tmp_path / "ranges.json"
    path.write_bytes(document.to_json())
    with pytest.raises(InvalidInput, match=f"freeze_requantization_ranges: .*{message}"):
        _with_ranges(path, evaluator, more)
