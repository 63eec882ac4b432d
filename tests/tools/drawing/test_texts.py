"""Tests of the short texts in labels."""

import pytest
from benchmark_reports import measured, sizes
from drawn_graphs import NO_FIGURES, layers

from tfcarve.drawing import texts
from tfcarve.drawing.figures import figures


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("conv", "conv"),
        ("x" * 32, "x" * 32),
        ("x" * 33, "x" * 31 + "…"),
        ("x" * 100_000, "x" * 31 + "…"),
        ("a\x1b[2J\nb", "a\\x1b[2J\\nb"),
        ("\x01" * 32, "\\x01" * 7 + "\\x0…"),
    ],
)
def test_cut(text: str, shown: str) -> None:
    assert texts.cut(text) == shown


@pytest.mark.parametrize(
    ("size", "shown"),
    [(0, "0 B"), (999, "999 B"), (1000, "1 kB"), (1_234_567, "1.23 MB"), (999_600, "1 MB"), (2**63, "9.22 EB")],
)  # fmt: skip
def test_bytes(size: int, shown: str) -> None:
    assert texts.bytes_text(size) == shown


def test_other_texts() -> None:
    assert texts.dims_text("float32", (-1, 224, 3)) == "float32[?x224x3]"
    assert texts.dims_text("float32", ()) == "float32[]"
    assert texts.dims_text("float32", None) == "float32"
    assert texts.ms_text(12.345) == "12.3 ms"
    assert (texts.count_text(1, "node"), texts.count_text(1200, "node")) == (
        "1 node",
        "1,200 nodes",
    )


def test_labels() -> None:
    boxes = layers(2).boxes
    assert texts.label(boxes["net/dense/"], NO_FIGURES) == ["dense", "MatMul · 3 nodes"]
    assert texts.label(boxes["net/relu"], NO_FIGURES) == ["relu", "Relu"]
    both = figures(layers(2), sizes({"MatMul": 3000}), measured({"net/dense/MatMul": 1.5}))
    assert texts.label(boxes["net/dense/"], both)[2] == "1.5 ms · library 3 kB"
    assert texts.label(boxes["net/relu"], both)[2] == "0 ms"


def test_titles() -> None:
    boxes = layers(2).boxes
    assert texts.title(boxes["net/dense/"]) == "net/dense/ (3 nodes)"
    assert texts.title(boxes["net/relu"]) == "net/relu (Relu)"
