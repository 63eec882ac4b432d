"""A selection without the ops that some rules add. Pure.

The sources that such a rule compiles stay, so that a model fails because the op is missing. They are removed if the rule
adds only sources.
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
    selection: Selection, models: Collection[str], rules: Sequence[Rule], omitted: Collection[str]
) -> Selection:
    """Returns the selection for `models` without the ops of some rules.

    Args:
      selection: for at least these models, with all rules.
      models: file names.
      rules: all rules.
      omitted: the ids of the rules to omit.
    """
    by_nodes = {op.name for op in selection.ops if _needed(op.needed_by, models)}
    applying = [rule for rule in rules if _applies(rule, by_nodes)]
    added = {op for rule in applying if rule.id not in omitted for op in rule.ops}
    gradient_files: tuple[str, ...] = ()
    if GRADIENT_OP in by_nodes:  # the ops of gradients do not belong to a rule: keep them
        known = {rule.id for rule in rules}
        added |= {a.op for a in selection.added_by_runtime if a.rule not in known}
        gradient_files = selection.gradient_files
    ops = tuple(op for op in selection.ops if op.name in by_nodes | added)
    kernels = tuple(k for k in selection.kernels if k.op in added or _needed(k.needed_by, models))
    named = {op.file for op in ops} | {k.file for k in kernels} | {*gradient_files}
    source_rules = [rule for rule in applying if rule.id in omitted and not rule.ops]
    files = tuple(sorted(named | _compiled(applying) - _compiled(source_rules)))
    helpers_of = {f: needed for f, needed in selection.helpers_of.items() if f in files}
    return replace(
        selection,
        ops=ops,
        kernels=kernels,
        files=files,
        helpers=tuple(sorted({h for needed in helpers_of.values() for h in needed} - set(files))),
        helpers_of=helpers_of,
        added_by_runtime=tuple(a for a in selection.added_by_runtime if a.rule not in omitted),
        gradient_files=gradient_files,
    )
