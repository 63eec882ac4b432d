"""Our selections next to those of TensorFlow's own tool, for every model of the zoo.

Ours hold all that its tool finds in what can run. Where the two differ, differences.yaml says why.
"""

from __future__ import annotations

from functools import cache

import pytest

from zoo import keeping, table
from zoo.peer import Pair
from zoo.selecting import selected

_NAMES = sorted(keeping.MODELS)


@cache
def _ours(name: str) -> frozenset[Pair]:
    """What we select: an op without a kernel counts as a pair with None, as in their tool."""
    selection = selected(keeping.kept(name).model)
    kernels = {(k.op, k.clazz) for k in selection.kernels}
    computed = {op for op, _ in kernels}
    return frozenset(kernels | {(o.name, None) for o in selection.ops if o.name not in computed})


def _differences(name: str) -> set[tuple[str, Pair]]:
    ours, theirs = _ours(name), keeping.kept(name).found
    return {("ours", p) for p in ours - theirs} | {("theirs", p) for p in theirs - ours}


def test_the_zoo_is_large() -> None:
    assert len(_NAMES) >= 40


@pytest.mark.parametrize("name", _NAMES)
def test_ours_hold_theirs(name: str) -> None:
    kept = keeping.kept(name)
    assert len(kept.found) > 3, "their tool finds more than its own defaults"
    assert kept.found_running <= _ours(name)


@pytest.mark.parametrize("name", _NAMES)
def test_each_difference_is_explained(name: str) -> None:
    unexplained = {
        (side, pair)
        for side, pair in _differences(name)
        if not any(entry.explains(side, name, pair) for entry in table.entries())
    }
    assert not unexplained, "say why in differences.yaml, or mend it"


@pytest.mark.parametrize("entry", table.entries(), ids=lambda entry: entry.reason[:40])
def test_no_line_of_the_table_is_stale(entry: table.Entry) -> None:
    for models in [{m} for m in entry.models] or [set(_NAMES)]:
        shown = {pair for m in models for side, pair in _differences(m) if side == entry.side}
        assert entry.pairs <= shown, f"no difference in {sorted(models)[:3]}: take it out"
