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
from tfcarve.prepare.pipeline.transform_list import parse

_LOG = (
    ";range__print__;__requant_min_max:[-0.8][0.9]\n"
    ";range__print__;__requant_min_max:[-0.7][0.95]\n"
)
# TensorFlow's tool takes less than a second for a small graph.
_TIMEOUT = 10
_LARGER = 1.5


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


def _require_equal(row: Same, source: Sample, expected: Any, actual: Any) -> None:
    before, first, second = (nodes(graph) for graph in (source.definition, expected, actual))
    ordered = (list(first.items()), list(before.items()))
    assert (ordered[0] == ordered[1]) == (row.equal is Equal.UNCHANGED)
    if row.equal in (Equal.UNCHANGED, Equal.ORDERED, Equal.NODES):
        assert reference_running.differences(first, second) == []
        assert row.equal is Equal.NODES or list(first) == list(second)
        return
    assert distance(source, expected, actual) <= row.tolerance
    assert row.equal is Equal.OUTPUTS or _ops(expected) == _ops(actual)


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
    steps, source = row.transforms.replace("{log}", str(log)), sample(name)
    expected = reference_running.run_reference(tools, source, steps)
    _require_equal(row, source, expected, reference_running.run_tfcarve(tools, source, steps))


def _require_defect(row: Differs, source: Sample, expected: Any, actual: Any) -> None:
    """Fails if TensorFlow's tool no longer has the defect of the row."""
    if row.defect is Defect.KEEPS:
        assert row.op in _ops(expected)
        assert row.op not in _ops(actual)
    elif row.defect is Defect.LARGER:
        assert expected.ByteSize() > _LARGER * actual.ByteSize()
    elif row.defect is Defect.NOT_RUN:
        with pytest.raises(Rejected):
            distance(source, source.definition, expected)
    else:
        assert row.defect is Defect.DIFFERENT
        assert distance(source, source.definition, expected) > 0.1


@pytest.mark.parametrize(
    "row", [pytest.param(r, id=f"{r.transforms}-{r.sample}") for r in DIFFERS if _runs(r)]
)
def test_deliberate_differences(row: Differs, tools: Tools) -> None:
    source = sample(row.sample)
    actual = reference_running.run_tfcarve(tools, source, row.transforms)
    assert distance(source, source.definition, actual) <= row.tolerance
    if row.defect in (Defect.FAILS, Defect.NEVER_ENDS):
        status = "no result after" if row.defect is Defect.NEVER_ENDS else "status "
        with pytest.raises(TransformFailed, match=status):
            reference_running.run_reference(tools, source, row.transforms, _TIMEOUT)
    else:
        expected = reference_running.run_reference(tools, source, row.transforms)
        _require_defect(row, source, expected, actual)


def test_the_reference_rejects_unknown_transforms(tools: Tools) -> None:
    with pytest.raises(TransformFailed, match="'fold_everything' not recognized"):
        reference_running.run_reference(tools, sample("v1"), "fold_everything")


def test_a_changed_node_is_detected(tools: Tools) -> None:
    source = sample("v1")
    expected = reference_running.run_reference(tools, source, "remove_device")
    changed = reference_running.run_tfcarve(tools, source, "remove_device")
    changed.node[3].attr["T"].type = 2
    (line,) = reference_running.differences(nodes(expected), nodes(changed))
    assert line.startswith(f"{changed.node[3].name}: ")
    row = Same("remove_device", "v1", Equal.ORDERED)
    with pytest.raises(AssertionError):
        _require_equal(row, source, expected, changed)


def test_a_changed_weight_is_detected(tools: Tools) -> None:
    source = sample("conv_times")
    graph = reference_running.run_tfcarve(tools, source, "fold_batch_norms")
    other = reference_running.run_tfcarve(tools, source, "fold_batch_norms")
    weights = next(node for node in other.node if node.op == "Const").attr["value"].tensor
    weights.tensor_content = bytes(4) + weights.tensor_content[4:]
    assert reference_running.differences(nodes(graph), nodes(other))
    row = Same("fold_batch_norms", "conv_times", Equal.OUTPUTS, "a reason")
    with pytest.raises(AssertionError):
        _require_equal(row, source, graph, other)
