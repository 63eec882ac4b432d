"""Ops that no node names: what the runtime adds, gradients, and what trains."""

from collections.abc import Iterable

from tfcarve.registry.index import IndexFile, Registration
from tfcarve.selection import training
from tfcarve.selection.leftover_kinds import Kinds
from tfcarve.selection.lookup import Lookup
from tfcarve.selection.runtime_rules import Rule
from tfcarve.selection.selection import GRADIENT_OP, RuntimeOp
from tfcarve.selection.work import Work

_TYPE_ATTRS = ("T", "dtype")


def _for_types(op: str, types: Iterable[str] | None, lookup: Lookup) -> list[Registration]:
    """Returns the kernels of an op: for `types` alone where they are given."""
    here = [r for r in lookup.own(op) if not r.label]
    if types is None:
        return here
    wanted = set(types)
    return [r for r in here if all(wanted & set(t) for a, t in r.constraints if a in _TYPE_ATTRS)]


def _add(op: str, types: Iterable[str] | None, why: str, lookup: Lookup, work: Work) -> bool:
    """Takes an op that no node names; says whether the tree knows it."""
    if lookup.op(op) is None:
        return False  # a tree of another version: what it does not know it does not add
    work.ops.setdefault(op, [])
    for registration in _for_types(op, types, lookup):
        work.take(registration, None, why)
    return True


def _types_in_use(work: Work) -> dict[str, set[str]]:
    in_use: dict[str, set[str]] = {}
    for (op, attr), types in work.types.items():
        if attr in _TYPE_ATTRS:
            in_use.setdefault(op, set()).update(types)
    return in_use


def differentiate(
    index: IndexFile, lookup: Lookup, work: Work
) -> tuple[list[RuntimeOp], tuple[str, ...]]:
    """Takes the gradients of all that is selected; returns what that adds, and the sources that register them."""
    in_use = _types_in_use(work)
    found = training.gradients_of(work.ops, index.gradients())
    added = []
    for gradient in found:
        for name in gradient.ops:
            why = f"the gradient of {gradient.op}"
            if _add(name, in_use.get(gradient.op) or None, why, lookup, work):
                added.append(RuntimeOp(name, f"training: gradient of {gradient.op}"))
    return added, tuple(sorted({gradient.file for gradient in found}))


def train(kinds: Kinds, lookup: Lookup, work: Work) -> list[RuntimeOp]:
    """Takes what calls gradients, and the optimizers for the data types in use."""
    trained = training.trained_types(_types_in_use(work)) or None
    names = [GRADIENT_OP, *sorted(kinds.optimizers)]
    added = [n for n in names if _add(n, trained, "training", lookup, work)]
    return [RuntimeOp(n, "training: optimizers") for n in added]


def that_hold(rules: Iterable[Rule], work: Work) -> list[Rule]:
    """The rules for what the models themselves use."""
    return [rule for rule in rules if not rule.when or rule.when & work.ops.keys()]


def runtime(rules: Iterable[Rule], lookup: Lookup, work: Work) -> list[RuntimeOp]:
    """Takes what the runtime adds by `rules`."""
    added: list[RuntimeOp] = []
    for rule in rules:
        types = None
        if rule.like:
            types = {t for op in rule.when for t in work.types.get((op, rule.like), ())}
        for op in rule.ops:
            if _add(op, types, f"the runtime adds it: {rule.id}", lookup, work):
                added.append(RuntimeOp(op, rule.id))
    return added
