"""Tests of what `tfcarve compare` advises when TensorFlow cannot run a model."""

from __future__ import annotations

from typing import Any

import pytest

from tfcarve.prepare.compare.advice import advice
from tfcarve.prepare.compare.side import Side
from tfcarve.prepare.evaluate.evaluator import Failed
from tfcarve.prepare.graph import nodes
from tfcarve.prepare.graph.graph import Graph, Ref

_INPUTS = ": pass valid inputs with --data"


def _side() -> Side:
    graph = Graph([
        nodes.make("Placeholder", "x", []),
        nodes.make("Placeholder", "not_fed", []),
        nodes.make("Const", "c", []),
        nodes.make("Relu", "of_c", [Ref("c"), Ref("x", -1)]),
        nodes.make("Relu", "of_x", [Ref("x")]),
        nodes.make("Add", "of_both", [Ref("of_x"), Ref("of_c")]),
        nodes.make("Relu", "of_other", [Ref("not_fed")]),
    ])  # fmt: skip
    loaded: Any = None
    return Side("m.pb", graph, loaded, {})


@pytest.mark.parametrize(
    ("error", "expected"),
    [
        ("indices[0] = 5 is not in [0, 3) [[{{node of_x}}]]", _INPUTS),
        ("Incompatible shapes [[{{node of_both}}]]", _INPUTS),
        ("{{function_node f}} Expected image [[{{node in_a_function}}]]", _INPUTS),
        ("indices[0] = 5 is not in [0, 3) [[{{node of_c}}]]", ""),
        ("You must feed a value for placeholder [[{{node of_other}}]]", ""),
        ("Attempting to use uninitialized value v [[{{node of_x}}]]", ""),
        ("Table not initialized. [[{{node of_x}}]]", ""),
        ("{{node of_x}} has inputs from different frames", ""),
        ("out of memory", ""),
    ],
)
def test_inputs_are_blamed_only_if_they_are_the_reason(error: str, expected: str) -> None:
    assert advice(_side(), Failed(error), [Ref("x")]) == expected
