"""Tests of times and bytes of boxes, and of the colours for them."""

from __future__ import annotations

from benchmark_reports import measured, sizes
from drawn_graphs import layers

from tfcarve.drawing import colours
from tfcarve.drawing.figures import Output, figures

_TIMES = {"x": 1.0, "net/dense/MatMul": 8.0, "net/dense/kernel/read": 0.5, "net/relu": 2.0}


def test_times_of_scopes_are_sums() -> None:
    closed = figures(layers(1), None, measured(_TIMES))
    assert closed.ms == {"x": 1.0, "net/": 10.5, "check": 0.0, "y": 0.0}
    opened = figures(layers(2), None, measured(_TIMES)).ms
    assert opened is not None
    assert (opened["net/"], opened["net/dense/"], opened["net/relu"]) == (10.5, 8.5, 2.0)


def test_nodes_that_a_session_adds_count_for_their_scope() -> None:
    added = {"net/dense/MatMul/_3": 4.0, "_Retval": 9.0, "net/other": 1.0}
    found = figures(layers(2), None, measured(added)).ms
    assert found is not None
    assert found["net/dense/"] == 4.0
    assert sum(found.values()) == 8.0, "in the box and in its frame, and no other"
    whole = figures(layers(), None, measured(added)).ms
    assert whole is not None and whole["net/dense/MatMul"] == 4.0


def test_outputs_of_measured_nodes() -> None:
    found = figures(layers(2), None, measured(_TIMES)).outputs
    assert found["net/relu"] == (Output("float32", (1, 8)),)
    assert "net/dense/" not in found


def test_bytes_of_the_library_are_those_of_the_ops() -> None:
    found = figures(layers(2), sizes({"MatMul": 300, "Relu": 40}), None)
    assert found.library == {
        "x": 0,
        "net/dense/": 300,
        "net/relu": 40,
        "check": 0,
        "y": 0,
        "net/": 340,
    }
    assert found.ms is None and not found.outputs


def test_fills() -> None:
    drawing = layers(2)
    timed = figures(drawing, None, measured(_TIMES))
    by_time = colours.fills("time", drawing, timed)
    assert by_time is not None and by_time.keys() == drawing.boxes.keys()
    assert by_time["net/dense/"] == colours.heat(1) == "#ef6548"
    assert by_time["y"] == colours.heat(0)
    assert by_time["net/relu"] == colours.heat((2.0 / 8.5) ** 0.5)
    assert colours.fills("library", drawing, timed) is None
    by_op = colours.fills("op", drawing, timed)
    assert by_op is not None and len(set(by_op.values())) == 5
    assert set((colours.fills("weights", drawing, timed) or {}).values()) == {colours.heat(0)}
