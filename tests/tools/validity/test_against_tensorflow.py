"""Compares what tfcarve and TensorFlow refuse: valid graphs with one damaged node.

A graph that TensorFlow accepts is never refused. A graph that TensorFlow refuses for one of the reasons that tfcarve
checks is refused.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from typing import Any

import damages
import pytest
import tensorflow_ops
import valid_graphs
from hypothesis import given, settings
from hypothesis import strategies as st
from tensorflow_session import Sessions

from tfcarve.models import graph_def
from tfcarve.models.wire import Budget, WireError
from tfcarve.validity import check
from tfcarve.validity.fault import Fault

# What TensorFlow says of graphs that tfcarve must refuse too.
_CHECKED = re.compile(
    "|".join((
        "incompatible with expected",
        "inputs from different frames",
        "must have a frame name",
        "Mismatched parent frames",
        "more than one LoopCond",
        "Unknown input node",
        "invalid output",
        "does not exist. Node only has",
        "is not unique",
        "invalid characters",
        "Control dependencies must come after",
        "must not have ':'",
        "do not match .* inputs specified",
        "missing attr",
        "No attr named",
        "AttrValue",
        "is not in the list of allowed values",
        "must be at least minimum",
        "nodes in a cycle",
        r"number_attr\(\)",
        "is not found",
        "expected type",
        "too long for",
        "Attempt to access beyond input size",
        "to be a control input",
        "Invalid ret types",
        "Return .* missing",
        "Type mismatch between value",
        "Function .* is not defined",
    ))
)  # fmt: skip


@pytest.fixture(name="sessions", scope="module")
def _sessions() -> Iterator[Sessions]:
    sessions = Sessions()
    yield sessions
    sessions.close()


def _faults(data: bytes) -> list[Fault]:
    read = graph_def.graph(data, 0, len(data), "m", Budget(len(data)))
    return list(check.faults(list(read.nodes), read.functions, tensorflow_ops.definitions().get))


@pytest.mark.parametrize("name", valid_graphs.NAMES)
def test_valid_graphs(name: str, sessions: Sessions) -> None:
    graph = valid_graphs.graph(name)
    data = graph.SerializeToString()
    names = [node.name for node in graph.node]
    assert sessions.refusal(data, names, bool(graph.library.function)) == ""
    assert _faults(data) == []


@st.composite
def _damaged(draw: Any) -> tuple[str, Any]:
    """Draws a graph with a damaged node, and how it was damaged."""
    graph = valid_graphs.graph(draw(st.sampled_from(valid_graphs.NAMES)))
    bodies = [graph.node, *(function.node_def for function in graph.library.function)]
    nodes = list(draw(st.sampled_from(bodies)))
    damage = draw(st.sampled_from(damages.ALL))
    damage(nodes, draw)
    return str(damage.__doc__), graph


def test_damaged_graphs(sessions: Sessions) -> None:
    outcomes: Counter[tuple[str, bool]] = Counter()

    @settings(max_examples=600)
    @given(_damaged())
    def compare(drawn: tuple[str, Any]) -> None:
        how, graph = drawn
        data = graph.SerializeToString()
        try:
            faults = _faults(data)
        except WireError:
            return  # reading refuses it
        names = [node.name for node in graph.node]
        theirs = sessions.refusal(data, names, bool(graph.library.function))
        outcomes[how, bool(faults)] += 1
        assert theirs or not faults, f"{how}: only tfcarve refuses it: {faults}"
        assert faults or not _CHECKED.search(theirs), f"{how}: only TensorFlow refuses it: {theirs}"

    compare()
    harmful = {str(damage.__doc__) for damage in damages.ALL} - {damages.VALID}
    assert {how for how, refused in outcomes if refused} == harmful, outcomes
