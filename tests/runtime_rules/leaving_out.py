"""A selection without what some rules added, as if they were not in runtime_ops.yaml. Pure."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import replace

from tfcarve.selection.runtime_rules import Rule
from tfcarve.selection.selection import Need, Selection


def _needed(needs: Iterable[Need], models: Collection[str]) -> bool:
    return any(need.model.rpartition("/")[2] in models for need in needs)


def _applies(rule: Rule, ops: Collection[str]) -> bool:
    return not rule.when or bool(rule.when & set(ops))


def without(
    selection: Selection, models: Collection[str], rules: Iterable[Rule], left_out: Collection[str]
) -> Selection:
    """Returns what `models` need by all rules but some.

    Args:
      selection: for these models and more, by all rules.
      models: file names.
      rules: all rules.
      left_out: the ids of those to leave out.
    """
    by_nodes = {op.name for op in selection.ops if _needed(op.needed_by, models)}
    kept = [r for r in rules if r.id not in left_out and _applies(r, by_nodes)]
    added = {op for rule in kept for op in rule.ops}
    ops = tuple(op for op in selection.ops if op.name in by_nodes | added)
    kernels = tuple(k for k in selection.kernels if k.op in added or _needed(k.needed_by, models))
    files = tuple(sorted({op.file for op in ops} | {k.file for k in kernels}))
    helpers_of = tuple((file, needed) for file, needed in selection.helpers_of if file in files)
    return replace(
        selection,
        ops=ops,
        kernels=kernels,
        files=files,
        helpers=tuple(sorted({h for _, needed in helpers_of for h in needed} - set(files))),
        helpers_of=helpers_of,
        added_by_runtime=tuple(a for a in selection.added_by_runtime if a.rule not in left_out),
    )
