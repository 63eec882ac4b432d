"""The output of the demo."""

from __future__ import annotations

import pytest

from demo.facts import Measured, Selected, clock, table, times, wrapped


def test_counts_of_a_selection() -> None:
    selection = {
        "ops": [{"name": "Relu"}, {"name": "MatMul"}],
        "kernels": [
            {"op": "Relu", "class": "ReluOp<float>"},
            {"op": "MatMul", "class": "MatMulOp<float>"},
            {"op": "MatMul", "class": "MatMulOp<double>"},
        ],
        "files": ["a.cc", "b.cc"],
    }
    selected = Selected.of(selection)
    assert selected.text() == "2 ops, 3 kernels, 2 source files"
    assert selected.ops == ("MatMul", "Relu")


def test_table() -> None:
    measured = [
        Measured("linux_x86_64", 3_128_232, 1_355_383, 3e-7),
        Measured("linux_arm64", 3_560_424, 999, 0.0),
    ]
    assert table(measured).splitlines() == [
        "               stripped       gzip  largest difference",
        "linux_x86_64  3,128,232  1,355,383             3.0e-07",
        "linux_arm64   3,560,424        999             0.0e+00",
    ]


@pytest.mark.parametrize(
    ("difference", "agrees"),
    [(0.0, True), (1e-5, True), (1.1e-5, False), (float("inf"), False), (float("nan"), False)],
)
def test_agreement(difference: float, agrees: bool) -> None:
    assert Measured("p", 1, 1, difference).agrees is agrees


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(0.04, "0.0 s"), (9.9, "9.9 s"), (9.96, "10 s"), (59.6, "1 min 0 s"), (725.2, "12 min 5 s")],
)
def test_clock(seconds: float, text: str) -> None:
    assert clock(seconds) == text


def test_wrapped() -> None:
    assert wrapped(["ab", "cd", "efghij"], "  ", width=8) == "  ab cd\n  efghij"
    assert wrapped([], "  ") == "  "


def test_times() -> None:
    spent = {"model": 9.4, "compile": 500.6, "link": 4.0}
    expected = "9 min 9 s: before the first step 35 s, model 9.4 s, compile 8 min 21 s, link 4.0 s"
    assert times(35.0, spent) == expected
