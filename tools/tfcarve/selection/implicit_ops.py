"""Ops that no node names: ops that the runtime adds, gradients, optimizers."""

from collections.abc import Iterable

from tfcarve.registry.index import KernelIndex, Registration
from tfcarve.selection import training
from tfcarve.selection.leftover_kinds import Kinds
from tfcarve.selection.lookup import Lookup
from tfcarve.selection.partial import PartialSelection
from tfcarve.selection.runtime_rules import Rule
from tfcarve.selection.selection import GRADIENT_OP, RuntimeOp

_TYPE_ATTRS = ("T", "dtype")


def _kernels(op: str, types: Iterable[str] | None, lookup: Lookup) -> list[Registration]:
    """Returns the kernels of an op for `types`; None: for all types."""
    unlabelled = [r for r in lookup.on_device(op) if not r.label]
    if types is None:
        return unlabelled
    wanted = set(types)
    return [
        r
        for r in unlabelled
        if all(wanted & set(t) for a, t in r.constraints.items() if a in _TYPE_ATTRS)
    ]


def _add(
    op: str, types: Iterable[str] | None, why: str, lookup: Lookup, partial: PartialSelection
) -> bool:
    """Adds an op and its kernels; returns whether this TensorFlow has the op."""
    if lookup.op(op) is None:
        return False  # another version: its runtime does not add it
    partial.ops.setdefault(op, [])
    for registration in _kernels(op, types, lookup):
        partial.add_kernel(registration, None, why)
    return True


def _types_in_use(partial: PartialSelection) -> dict[str, set[str]]:
    in_use: dict[str, set[str]] = {}
    for (op, attr), types in partial.types.items():
        if attr in _TYPE_ATTRS:
            in_use.setdefault(op, set()).update(types)
    return in_use


def add_gradients(
    index: KernelIndex, lookup: Lookup, partial: PartialSelection
) -> tuple[list[RuntimeOp], tuple[str, ...]]:
    """Adds the gradients of all selected ops; returns the added ops, and the sources that register the gradients."""
    in_use = _types_in_use(partial)
    found = training.gradients_of(partial.ops, index.gradients)
    added = []
    for gradient in found:
        for name in gradient.ops:
            why = f"the gradient of {gradient.op}"
            if _add(name, in_use.get(gradient.op) or None, why, lookup, partial):
                added.append(RuntimeOp(name, f"training: gradient of {gradient.op}"))
    return added, tuple(sorted({gradient.file for gradient in found}))


def add_optimizers(kinds: Kinds, lookup: Lookup, partial: PartialSelection) -> list[RuntimeOp]:
    """Adds the op that calls gradients, and the optimizers for the data types in use."""
    trained = training.trained_types(_types_in_use(partial)) or None
    names = [GRADIENT_OP, *sorted(kinds.optimizers)]
    added = [n for n in names if _add(n, trained, "training", lookup, partial)]
    return [RuntimeOp(n, "training: optimizers") for n in added]


def applicable(rules: Iterable[Rule], partial: PartialSelection) -> list[Rule]:
    """Returns the rules that apply to the selected ops."""
    return [rule for rule in rules if not rule.when or rule.when & partial.ops.keys()]


def add_runtime_ops(
    rules: Iterable[Rule], lookup: Lookup, partial: PartialSelection
) -> list[RuntimeOp]:
    """Adds the ops that the runtime adds by `rules`."""
    added: list[RuntimeOp] = []
    for rule in rules:
        types = None
        if rule.like:
            types = {t for op in rule.when for t in partial.types.get((op, rule.like), ())}
        for op in rule.ops:
            if _add(op, types, f"the runtime adds it: {rule.id}", lookup, partial):
                added.append(RuntimeOp(op, rule.id))
    return added
