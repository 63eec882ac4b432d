"""Compares tfcarve's selections with the results of TensorFlow's own tool, for every model of the zoo.

The selections contain everything that the tool finds in reachable nodes. differences.yaml explains all differences.
"""

from __future__ import annotations

from functools import cache

import pytest

from zoo import cached, differences
from zoo.selecting import selected
from zoo.upstream import Pair

_NAMES = sorted(cached.MODELS)


@cache
def _selected(name: str) -> frozenset[Pair]:
    """Returns what tfcarve selects; an op without a kernel is a pair with None, as in the tool."""
    selection = selected(cached.load(name).model)
    kernels = {(k.op, k.clazz) for k in selection.kernels}
    computed = {op for op, _ in kernels}
    return frozenset(kernels | {(o.name, None) for o in selection.ops if o.name not in computed})


def _differences(name: str) -> set[tuple[str, Pair]]:
    tfcarve, upstream = _selected(name), cached.load(name).found
    return {("tfcarve", p) for p in tfcarve - upstream} | {
        ("upstream", p) for p in upstream - tfcarve
    }


def test_the_zoo_is_large() -> None:
    assert len(_NAMES) >= 40


@pytest.mark.parametrize("name", _NAMES)
def test_everything_that_the_tool_finds_is_selected(name: str) -> None:
    model = cached.load(name)
    assert len(model.found) > 3, "the tool finds more than its defaults"
    assert model.found_reachable <= _selected(name)


@pytest.mark.parametrize("name", _NAMES)
def test_each_difference_is_explained(name: str) -> None:
    unexplained = {
        (side, pair)
        for side, pair in _differences(name)
        if not any(entry.explains(side, name, pair) for entry in differences.entries())
    }
    assert not unexplained, "explain it in differences.yaml, or fix it"


@pytest.mark.parametrize("entry", differences.entries(), ids=lambda entry: entry.reason[:40])
def test_no_entry_is_stale(entry: differences.Entry) -> None:
    for models in [{m} for m in entry.models] or [set(_NAMES)]:
        shown = {pair for m in models for side, pair in _differences(m) if side == entry.side}
        assert entry.pairs <= shown, f"no difference in {sorted(models)[:3]}: remove the entry"
