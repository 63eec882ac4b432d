"""Each transform of ours next to TensorFlow's own."""

from __future__ import annotations

from collections import Counter
from typing import Any

import oracle_running
import pytest
import trees
from oracle_graphs import Sample, sample
from oracle_rows import Differs, Equal, Same, Theirs
from oracle_running import Refused, Tools, distance, nodes
from oracle_table import DIFFERS, SAME

from demo import transform_graph
from demo.transform_graph import TransformFailed
from tfcarve.prepare import transforms
from tfcarve.prepare.transform_list import parse

_LOG = (
    ";range__print__;__requant_min_max:[-0.8][0.9]\n"
    ";range__print__;__requant_min_max:[-0.7][0.95]\n"
)
# Theirs takes less than a second for a small graph.
_FOR_EVER = 10
_HALF_AS_LARGE_AGAIN = 1.5


def _names(row: Same | Differs) -> set[str]:
    return {step.name for step in parse(row.transforms)}


def _runs(row: Same | Differs) -> bool:
    """Says whether tfcarve has the transforms of a row."""
    return _names(row) <= set(transforms.NAMES)


def _ops(definition: Any) -> Counter[str]:
    return Counter(node.op for node in definition.node)


def test_all_names_of_the_tree_are_ours() -> None:
    registered = transform_graph.registered(trees.tensorflow())
    assert len(registered) == 29
    assert registered <= set(transforms.NAMES)


def test_each_name_is_compared_where_it_changes_a_graph() -> None:
    changed = {name for row in SAME if row.equal is not Equal.UNCHANGED for name in _names(row)}
    different = {name for row in DIFFERS for name in _names(row)}
    assert transform_graph.registered(trees.tensorflow()) <= changed | different


def _require_equal(row: Same, given: Sample, theirs: Any, ours: Any) -> None:
    before, first, second = (nodes(made) for made in (given.definition, theirs, ours))
    ordered = (list(first.items()), list(before.items()))
    assert (ordered[0] == ordered[1]) == (row.equal is Equal.UNCHANGED)
    if row.equal in (Equal.UNCHANGED, Equal.ORDERED, Equal.NODES):
        assert oracle_running.differences(first, second) == []
        assert row.equal is Equal.NODES or list(first) == list(second)
        return
    assert distance(given, theirs, ours) <= row.tolerance
    assert row.equal is Equal.OUTPUTS or _ops(theirs) == _ops(ours)


@pytest.mark.parametrize(
    ("row", "name"),
    [
        pytest.param(row, name, id=f"{row.transforms}-{name}")
        for row in SAME
        if _runs(row)
        for name in row.samples.split()
    ],
)
def test_the_same_as_theirs(row: Same, name: str, tools: Tools) -> None:
    assert bool(row.why) == (row.equal in (Equal.NODES, Equal.OPS, Equal.OUTPUTS))
    log = tools.folder / "ranges.log"
    log.write_text(_LOG)
    listed, given = row.transforms.replace("{log}", str(log)), sample(name)
    theirs = oracle_running.theirs(tools, given, listed)
    _require_equal(row, given, theirs, oracle_running.ours(tools, given, listed))


def _require_defect(row: Differs, given: Sample, theirs: Any, ours: Any) -> None:
    """Fails where TensorFlow's tool no longer has the defect of the row."""
    if row.theirs is Theirs.KEEPS:
        assert row.op in _ops(theirs)
        assert row.op not in _ops(ours)
    elif row.theirs is Theirs.LARGER:
        assert theirs.ByteSize() > _HALF_AS_LARGE_AGAIN * ours.ByteSize()
    elif row.theirs is Theirs.NOT_RUN:
        with pytest.raises(Refused):
            distance(given, given.definition, theirs)
    else:
        assert row.theirs is Theirs.DIFFERENT
        assert distance(given, given.definition, theirs) > 0.1


@pytest.mark.parametrize(
    "row", [pytest.param(r, id=f"{r.transforms}-{r.sample}") for r in DIFFERS if _runs(r)]
)
def test_different_on_purpose(row: Differs, tools: Tools) -> None:
    given = sample(row.sample)
    ours = oracle_running.ours(tools, given, row.transforms)
    assert distance(given, given.definition, ours) <= row.tolerance
    if row.theirs in (Theirs.FAILS, Theirs.NEVER_ENDS):
        expected = "not done" if row.theirs is Theirs.NEVER_ENDS else "status "
        with pytest.raises(TransformFailed, match=expected):
            oracle_running.theirs(tools, given, row.transforms, _FOR_EVER)
    else:
        theirs = oracle_running.theirs(tools, given, row.transforms)
        _require_defect(row, given, theirs, ours)


def test_theirs_refuses_what_it_does_not_know(tools: Tools) -> None:
    with pytest.raises(TransformFailed, match="'fold_everything' not recognized"):
        oracle_running.theirs(tools, sample("v1"), "fold_everything")


def test_a_changed_node_is_seen(tools: Tools) -> None:
    given = sample("v1")
    theirs = oracle_running.theirs(tools, given, "remove_device")
    changed = oracle_running.ours(tools, given, "remove_device")
    changed.node[3].attr["T"].type = 2
    (line,) = oracle_running.differences(nodes(theirs), nodes(changed))
    assert line.startswith(f"{changed.node[3].name}: ")
    row = Same("remove_device", "v1", Equal.ORDERED)
    with pytest.raises(AssertionError):
        _require_equal(row, given, theirs, changed)


def test_a_changed_weight_is_seen(tools: Tools) -> None:
    given = sample("conv_times")
    made = oracle_running.ours(tools, given, "fold_batch_norms")
    other = oracle_running.ours(tools, given, "fold_batch_norms")
    weights = next(node for node in other.node if node.op == "Const").attr["value"].tensor
    weights.tensor_content = bytes(4) + weights.tensor_content[4:]
    assert oracle_running.differences(nodes(made), nodes(other))
    row = Same("fold_batch_norms", "conv_times", Equal.OUTPUTS, "a reason")
    with pytest.raises(AssertionError):
        _require_equal(row, given, made, other)
