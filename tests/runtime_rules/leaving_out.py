"""A selection without the ops that some rules added. Pure.

The sources that such a rule has compiled stay: so what fails is the op that is not there. They go
where sources are all that a rule adds.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

from msgspec.structs import replace

from tfcarve.selection.need import Need
from tfcarve.selection.runtime_rules import Rule
from tfcarve.selection.selection import GRADIENT_OP, Selection


def _needed(needs: Iterable[Need], models: Collection[str]) -> bool:
    return any(need.model.rpartition("/")[2] in models for need in needs)


def _compiled(rules: Iterable[Rule]) -> set[str]:
    return {source for rule in rules for source in rule.compiles}


def _applies(rule: Rule, ops: Collection[str]) -> bool:
    return not rule.when or bool(rule.when & set(ops))


def without(
    selection: Selection, models: Collection[str], rules: Sequence[Rule], left_out: Collection[str]
) -> Selection:
    """Returns what `models` need, without the ops of some rules.

    Args:
      selection: for these models and more, by all rules.
      models: file names.
      rules: all rules.
      left_out: the ids of those to leave out.
    """
    by_nodes = {op.name for op in selection.ops if _needed(op.needed_by, models)}
    holding = [rule for rule in rules if _applies(rule, by_nodes)]
    added = {op for rule in holding if rule.id not in left_out for op in rule.ops}
    gradient_files: tuple[str, ...] = ()
    if GRADIENT_OP in by_nodes:  # what gradients are made of is no rule's: it stays
        known = {rule.id for rule in rules}
        added |= {a.op for a in selection.added_by_runtime if a.rule not in known}
        gradient_files = selection.gradient_files
    ops = tuple(op for op in selection.ops if op.name in by_nodes | added)
    kernels = tuple(k for k in selection.kernels if k.op in added or _needed(k.needed_by, models))
    named = {op.file for op in ops} | {k.file for k in kernels} | {*gradient_files}
    alone = [rule for rule in holding if rule.id in left_out and not rule.ops]
    files = tuple(sorted(named | _compiled(holding) - _compiled(alone)))
    helpers_of = {f: needed for f, needed in selection.helpers_of.items() if f in files}
    return replace(
        selection,
        ops=ops,
        kernels=kernels,
        files=files,
        helpers=tuple(sorted({h for needed in helpers_of.values() for h in needed} - set(files))),
        helpers_of=helpers_of,
        added_by_runtime=tuple(a for a in selection.added_by_runtime if a.rule not in left_out),
        gradient_files=gradient_files,
    )
