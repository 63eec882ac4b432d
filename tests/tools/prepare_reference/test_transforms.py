"""Compares each transform with TensorFlow's own."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest
import reference_running
import trees
from reference_graphs import Sample, sample
from reference_rows import Defect, Differs, Equal, Same
from reference_running import Rejected, Tools, distance, nodes
from reference_table import DIFFERS, SAME

from demo import transform_graph
from demo.transform_graph import TransformFailed
from tfcarve.prepare import transforms
from tfcarve.prepare.transform_list import parse

_LOG = (
    ";range__print__;__requant_min_max:[-0.8][0.9]\n"
    ";range__print__;__requant_min_max:[-0.7][0.95]\n"
)
# TensorFlow's tool takes less than a second for a small graph.
_FOR_EVER = 10
_HALF_AS_LARGE_AGAIN = 1.5


def _names(row: Same | Differs) -> set[str]:
    return {step.name for step in parse(row.transforms)}


def _runs(row: Same | Differs) -> bool:
    """Returns whether tfcarve has the transforms of a row."""
    return _names(row) <= set(transforms.NAMES)


def _ops(definition: Any) -> Counter[str]:
    return Counter(node.op for node in definition.node)


def test_tfcarve_has_all_transforms_of_tensorflow() -> None:
    registered = transform_graph.registered(trees.tensorflow())
    assert len(registered) == 29
    assert registered <= set(transforms.NAMES)


def test_each_transform_is_compared_on_a_graph_that_it_changes() -> None:
    changed = {name for row in SAME if row.equal is not Equal.UNCHANGED for name in _names(row)}
    different = {name for row in DIFFERS for name in _names(row)}
    assert transform_graph.registered(trees.tensorflow()) <= changed | different


def _require_equal(row: Same, given: Sample, theirs: Any, ours: Any) -> None:
    before, first, second = (nodes(made) for made in (given.definition, theirs, ours))
    ordered = (list(first.items()), list(before.items()))
    assert (ordered[0] == ordered[1]) == (row.equal is Equal.UNCHANGED)
    if row.equal in (Equal.UNCHANGED, Equal.ORDERED, Equal.NODES):
        assert reference_running.differences(first, second) == []
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
def test_equal_to_the_reference(row: Same, name: str, tools: Tools) -> None:
    assert bool(row.why) == (row.equal in (Equal.NODES, Equal.OPS, Equal.OUTPUTS))
    log = tools.folder / "ranges.log"
    log.write_text(_LOG)
    listed, given = row.transforms.replace("{log}", str(log)), sample(name)
    theirs = reference_running.theirs(tools, given, listed)
    _require_equal(row, given, theirs, reference_running.ours(tools, given, listed))


def _require_defect(row: Differs, given: Sample, theirs: Any, ours: Any) -> None:
    """Fails if TensorFlow's tool no longer has the defect of the row."""
    if row.theirs is Defect.KEEPS:
        assert row.op in _ops(theirs)
        assert row.op not in _ops(ours)
    elif row.theirs is Defect.LARGER:
        assert theirs.ByteSize() > _HALF_AS_LARGE_AGAIN * ours.ByteSize()
    elif row.theirs is Defect.NOT_RUN:
        with pytest.raises(Rejected):
            distance(given, given.definition, theirs)
    else:
        assert row.theirs is Defect.DIFFERENT
        assert distance(given, given.definition, theirs) > 0.1


@pytest.mark.parametrize(
    "row", [pytest.param(r, id=f"{r.transforms}-{r.sample}") for r in DIFFERS if _runs(r)]
)
def test_deliberate_differences(row: Differs, tools: Tools) -> None:
    given = sample(row.sample)
    ours = reference_running.ours(tools, given, row.transforms)
    assert distance(given, given.definition, ours) <= row.tolerance
    if row.theirs in (Defect.FAILS, Defect.NEVER_ENDS):
        expected = "not done" if row.theirs is Defect.NEVER_ENDS else "status "
        with pytest.raises(TransformFailed, match=expected):
            reference_running.theirs(tools, given, row.transforms, _FOR_EVER)
    else:
        theirs = reference_running.theirs(tools, given, row.transforms)
        _require_defect(row, given, theirs, ours)


def test_the_reference_rejects_unknown_transforms(tools: Tools) -> None:
    with pytest.raises(TransformFailed, match="'fold_everything' not recognized"):
        reference_running.theirs(tools, sample("v1"), "fold_everything")


def test_a_changed_node_is_detected(tools: Tools) -> None:
    given = sample("v1")
    theirs = reference_running.theirs(tools, given, "remove_device")
    changed = reference_running.ours(tools, given, "remove_device")
    changed.node[3].attr["T"].type = 2
    (line,) = reference_running.differences(nodes(theirs), nodes(changed))
    assert line.startswith(f"{changed.node[3].name}: ")
    row = Same("remove_device", "v1", Equal.ORDERED)
    with pytest.raises(AssertionError):
        _require_equal(row, given, theirs, changed)


def test_a_changed_weight_is_detected(tools: Tools) -> None:
    given = sample("conv_times")
    made = reference_running.ours(tools, given, "fold_batch_norms")
    other = reference_running.ours(tools, given, "fold_batch_norms")
    weights = next(node for node in other.node if node.op == "Const").attr["value"].tensor
    weights.tensor_content = bytes(4) + weights.tensor_content[4:]
    assert reference_running.differences(nodes(made), nodes(other))
    row = Same("fold_batch_norms", "conv_times", Equal.OUTPUTS, "a reason")
    with pytest.raises(AssertionError):
        _require_equal(row, given, made, other)
