"""The tables and pictures of the benchmark of quantization."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from benchmarks.preparation import initial_scores, quantize, quantize_table
from benchmarks.preparation.quantize_table import SOURCE, Quantized
from tfcarve.prepare.graph import nodes
from tfcarve.prepare.graph.graph import Graph, Ref, by_name

_SOURCE = Quantized("resnet_50", SOURCE, 900, 100_000_000, 1.0, 0.0)
_INT8 = Quantized("resnet_50", "`int8`, minmax", 800, 25_000_000, 0.995, 5e-4)
_TRAINED = Quantized("classifier", SOURCE, 50, 90_000, 1.0, 0.0, 0.96)
_SMALL = Quantized("classifier", "`int8`, minmax", 80, 30_000, 0.98, 0.1, 0.957)
_OTHER = replace(_SOURCE, model="nsfwjs mobilenet_v2")
_INITIAL = "resnet_50, initial scores"


def test_models() -> None:
    assert quantize_table.models([_INT8, _SMALL]).splitlines()[2:] == [
        "| resnet_50 | `int8`, minmax | 800 | 25,000,000 | 99.50 % | 5.0e-04 |  |",
        "| classifier | `int8`, minmax | 80 | 30,000 | 98.00 % | 1.0e-01 | 95.70 % |",
    ]


@pytest.mark.parametrize(
    ("row", "expected"),
    [
        (_INT8, []),
        (_SMALL, []),
        (replace(_INT8, agreement=0.98), ["98.00 % have the same best class"]),
        (replace(_INT8, difference=0.01), []),
        (replace(_INT8, model=_INITIAL, difference=0.01), ["differs by 1.0e-02"]),
        (replace(_INT8, model=_INITIAL, difference=math.nan), ["differs by nan"]),
        (replace(_INT8, bytes=26_000_001), ["26,000,001 bytes, the goal is 26,000,000"]),
        (replace(_INT8, how="`weights16`", bytes=51_000_000), []),
        (replace(_SMALL, accuracy=0.95), ["loses 1.00 points"]),
        (replace(_INT8, model=_OTHER.model, agreement=0.98), ["98.00 % have the same best class"]),
    ],
)
def test_goals(row: Quantized, expected: list[str]) -> None:
    found = quantize_table.missed(
        [_SOURCE, _TRAINED, _OTHER, replace(_SOURCE, model=_INITIAL), row]
    )
    assert found == [f"{row.model}, {row.how}: {line}" for line in expected]


def test_nodes() -> None:
    source, row = (replace(r, model="inception_v3") for r in (_SOURCE, _INT8))
    row = replace(row, nodes=2_400, bytes=24_000_000)
    assert quantize_table.missed([source, row]) == [
        "inception_v3, `int8`, minmax: 2,400 nodes, the goal is 2,366"
    ]


def test_pictures() -> None:
    made = quantize.pictures(2, 32, 1)
    assert made.shape == (2, 1, 32, 32, 3)
    assert made.dtype == np.float32
    assert np.abs(made).max() <= 1
    assert made.std() > 0.2
    assert (made == quantize.pictures(2, 32, 1)).all()
    assert not (made == quantize.pictures(2, 32, 2)).all()


def test_initial_scores() -> None:
    drawn = np.random.default_rng(1)
    weights = drawn.normal(0, 0.02, (1000, 600)).astype(np.float32)
    read = (Ref("x"), Ref("kernel/read"))
    graph = Graph(
        [
            nodes.make("Placeholder", "x", ()),
            nodes.constant("first", weights, ()),
            nodes.make("MatMul", "hidden", (Ref("x"), Ref("first"))),
            nodes.constant("kernel", weights * 32, ()),
            nodes.make("Identity", "kernel/read", (Ref("kernel"),)),
            nodes.make("MatMul", "scores", read),
        ]
    )
    found = by_name(initial_scores.with_initial_scores(graph))
    # The variance of Glorot's weights is 1 / 800.
    assert nodes.value(found["kernel"]).std() == pytest.approx(0.04, rel=0.02)
    assert nodes.value(found["first"]).std() == pytest.approx(0.02, rel=0.02)
    assert list(found) == [node.name for node in graph.nodes]


def test_the_page() -> None:
    page = quantize.text("a machine", 200, 20, [_SOURCE, _INT8])
    assert "\n200 samples, and calibrated on 20 others" in page
    assert page.endswith("All goals are met.\n")
    page = quantize.text("a machine", 200, 20, [_SOURCE, replace(_INT8, agreement=0.5)])
    assert page.endswith("- resnet_50, `int8`, minmax: 50.00 % have the same best class\n")
