"""Registrations of custom ops, and the check that TensorFlow does not register the same ops and kernels. Pure.

A program with two definitions of an op aborts before main (tensorflow/core/framework/op.cc, OpRegistry::Register).
If two kernels match a node equally well, TensorFlow reports an error (op_kernel.cc, FindKernelRegistration).
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

from msgspec.structs import replace

from tfcarve.errors import InvalidInput
from tfcarve.registry import resolve
from tfcarve.registry.index import OpDefinition, Registration, Unresolved
from tfcarve.registry.records import Records
from tfcarve.registry.tree import Tree
from tfcarve.registry.values import Resolver

_Record = TypeVar("_Record", Registration, OpDefinition)


@dataclass(frozen=True)
class Source:
    """The registrations of one custom op source, with its path as the user gave it."""

    kernels: tuple[Registration, ...]
    ops: tuple[OpDefinition, ...]
    unresolved: tuple[Unresolved, ...]


def as_given(records: Iterable[_Record], tree: Tree) -> tuple[_Record, ...]:
    """Returns `records` with the paths of custom op sources as the user gave them."""
    return tuple(
        replace(r, file=tree.custom[r.file]) if r.file in tree.custom else r for r in records
    )


def resolved(
    records: Iterable[Records],
    tree: Tree,
    resolver: Resolver,
    sets: Mapping[str, tuple[str, ...]],
) -> list[Source]:
    """Returns the registrations of each source, from its raw records."""
    sources = []
    for each in records:
        kernels, ops, _, unresolved = resolve.resolve([each], resolver, sets)
        sources.append(Source(as_given(kernels, tree), as_given(ops, tree), tuple(unresolved)))
    return sources


def refuse_duplicates_in(
    found: Mapping[str, Records],
    tree: Tree,
    resolver: Resolver,
    sets: Mapping[str, tuple[str, ...]],
) -> None:
    """Checks that custom op sources register no op or kernel that another source registers.

    Args:
      found: the raw records of each source.
      tree: states which sources are custom ops.
      resolver: evaluates the records.
      sets: the tree's sets of types.

    Raises:
      InvalidInput: there are duplicates; lists each one and the place of the first registration.
    """
    own = [found[source] for source in sorted(tree.custom) if source in found]
    stock = [records for source, records in found.items() if source not in tree.custom]
    kernels, ops, _, _ = resolve.resolve(stock, resolver, sets)
    refuse_duplicates(
        resolved(own, tree, resolver, sets),
        {op.name: op for op in ops}.get,
        lambda op: [kernel for kernel in kernels if kernel.op == op],
    )


def _overlap(one: Registration, other: Registration) -> bool:
    """Returns whether both kernels match some node equally well."""
    if (one.device, one.label, one.priority) != (other.device, other.label, other.priority):
        return False
    mine, theirs = ({**r.constraints, **r.attr_constraints} for r in (one, other))
    return all(set(mine[attr]) & set(theirs[attr]) for attr in mine.keys() & theirs.keys())


def _second_kernel(kernel: Registration, first: Registration) -> str:
    types = " ".join(f"{attr}={','.join(types)}" for attr, types in kernel.constraints.items())
    what = f"{kernel.device} kernel of {kernel.op}" + (f" for {types}" if types else "")
    return (
        f"{kernel.file}:{kernel.line}: {kernel.clazz} is a second {what}: the first is {first.clazz} in "
        f"{first.file}:{first.line}: add a .Priority or .Label, or use other types"
    )


def refuse_duplicates(
    sources: Iterable[Source],
    op: Callable[[str], OpDefinition | None],
    kernels: Callable[[str], Sequence[Registration]],
) -> None:
    """Checks that custom op sources register no op or kernel that is registered already.

    Args:
      sources: the sources, in any order.
      op: returns TensorFlow's definition of an op by its name.
      kernels: returns TensorFlow's kernels for an op by its name.

    Raises:
      InvalidInput: there are duplicates; lists each one and the place of the first registration.
    """
    wrong: list[str] = []
    own_ops: dict[str, OpDefinition] = {}
    own_kernels: dict[str, list[Registration]] = {}
    for source in sources:
        for defined in source.ops:
            first = op(defined.name) or own_ops.get(defined.name)
            own_ops[defined.name] = defined
            if first is not None:
                wrong.append(
                    f"{defined.file}:{defined.line}: defines the op {defined.name}, which "
                    f"{first.file}:{first.line} defines already: choose another name"
                )
        for kernel in source.kernels:
            seen = own_kernels.setdefault(kernel.op, [])
            others = (*kernels(kernel.op), *seen)
            wrong += [_second_kernel(kernel, o) for o in others if _overlap(kernel, o)][:1]
            seen.append(kernel)
    if wrong:
        raise InvalidInput("\n  ".join(["registered twice:", *wrong]))
