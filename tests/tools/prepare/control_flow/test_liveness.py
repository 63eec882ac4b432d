"""Tests of the conditions under which nodes run."""

from __future__ import annotations

import pytest

from tfcarve.prepare.control_flow.liveness import Liveness
from tfcarve.prepare.graph.graph import CONTROL, Graph, Ref, ref, topological_order
from tfcarve.prepare.graph.messages import NodeDef


def _liveness(text: str) -> Liveness:
    """Returns the conditions in a graph with a node in each line: its name, op and inputs."""
    listed = []
    for line in text.strip().splitlines():
        name, op, *inputs = line.split()
        node = NodeDef(name=name, op=op, input=inputs)
        if op == "Enter":
            node.attr["frame_name"].s = b"loop"
            node.attr["is_constant"].b = name.startswith("same")
        listed.append(node)
    return Liveness(topological_order(Graph(listed)))


_CONDITION = """
x Placeholder
p Placeholder
id Identity p
pivot Switch p p
taken Identity pivot:1
other Identity pivot
data Switch x id
one Const ^taken
sum Add data:1 one
check Assert sum
y Merge data sum
z Merge one x
"""

_LOOP = """
x Placeholder
same Enter x
start Enter x
head Merge start next
limit Const ^head
less Less head limit
cond LoopCond less
now Switch head cond
body Identity now:1
step Const ^body
sum Add now:1 step
check Assert sum
next NextIteration sum
end Exit now
"""


@pytest.mark.parametrize(
    ("graph", "lost", "left", "expected"),
    [
        # The predicate of `data` is a copy of that of `pivot`.
        (_CONDITION, "one", "data:1", ""),
        (_CONDITION, "data:1", "one", ""),
        (_CONDITION, "^check", "", "taken"),
        (_CONDITION, "^check", "data:1", ""),
        (_CONDITION, "data", "one", "none"),
        (_CONDITION, "^other", "data:1", "other"),
        # A Merge of both branches always runs, and so does a Merge that reads a tensor from outside.
        (_CONDITION, "y", "", ""),
        (_CONDITION, "z", "", ""),
        (_LOOP, "^check", "", "body"),
        (_LOOP, "^check", "sum", ""),
        (_LOOP, "^limit", "", "head"),
        (_LOOP, "^check", "same", "body"),
        (_LOOP, "end", "", "end"),
        # A Switch runs in both cases, so its control edge does not stand for one output.
        (_LOOP.replace("body Identity now:1", "body Identity x"), "now:1", "", "none"),
    ],
)
def test_stand_ins(graph: str, lost: str, left: str, expected: str) -> None:
    found = _liveness(graph).stand_ins(
        [ref(text) for text in lost.split()], [ref(text) for text in left.split()], ("check",)
    )
    assert (found is None) == (expected == "none")
    assert found is None or found == expected.split()


def test_a_node_that_is_removed_is_no_stand_in() -> None:
    liveness = _liveness(_CONDITION)
    lost = [Ref("check", CONTROL)]
    assert liveness.stand_ins(lost, (), ("check", "taken")) == ["one"]
    assert liveness.stand_ins(lost, (), ("check", "taken", "one", "sum")) is None


def test_nodes_of_the_next_iteration_are_no_stand_ins() -> None:
    graph = _LOOP.replace("limit Const ^head", "limit Const ^head\ngood Assert limit")
    assert _liveness(graph).stand_ins([Ref("good", CONTROL)], (), ("good",)) == ["head"]
