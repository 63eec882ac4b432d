"""What sources of custom ops register, and that nothing of it is TensorFlow's already. Pure.

An op that is defined twice stops the program before main (tensorflow/core/framework/op.cc,
OpRegistry::Register); of two kernels that fit a node equally well TensorFlow takes none (op_kernel.cc,
FindKernelRegistration).
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

from tfcarve.errors import InvalidInput
from tfcarve.registry import resolve
from tfcarve.registry.index import OpDefinition, Registration, Unresolved
from tfcarve.registry.records import Records
from tfcarve.registry.tree import Tree
from tfcarve.registry.values import Resolver

_Record = TypeVar("_Record", Registration, OpDefinition)


@dataclass(frozen=True)
class Source:
    """What one source of custom ops registers; its path as the user gave it."""

    kernels: tuple[Registration, ...]
    ops: tuple[OpDefinition, ...]
    unresolved: tuple[Unresolved, ...]


def as_given(records: Iterable[_Record], tree: Tree) -> tuple[_Record, ...]:
    """Returns `records` with the paths of custom ops as the user gave them."""
    return tuple(
        replace(r, file=tree.custom[r.file]) if r.file in tree.custom else r for r in records
    )


def resolved(
    records: Iterable[Records],
    tree: Tree,
    resolver: Resolver,
    sets: Mapping[str, tuple[str, ...]],
) -> list[Source]:
    """Returns what each of some sources registers, given its raw records."""
    sources = []
    for each in records:
        kernels, ops, _, unresolved = resolve.resolve([each], resolver, sets)
        sources.append(Source(as_given(kernels, tree), as_given(ops, tree), tuple(unresolved)))
    return sources


def _overlap(one: Registration, other: Registration) -> bool:
    """Says whether there are nodes that both kernels fit equally well."""
    if (one.device, one.label, one.priority) != (other.device, other.label, other.priority):
        return False
    mine, theirs = (dict((*r.constraints, *r.attr_constraints)) for r in (one, other))
    return all(set(mine[attr]) & set(theirs[attr]) for attr in mine.keys() & theirs.keys())


def _second_kernel(kernel: Registration, first: Registration) -> str:
    types = " ".join(f"{attr}={','.join(types)}" for attr, types in kernel.constraints)
    what = f"{kernel.device} kernel of {kernel.op}" + (f" for {types}" if types else "")
    return (
        f"{kernel.file}:{kernel.line}: {kernel.clazz} is a second {what}, beside {first.clazz} in "
        f"{first.file}:{first.line}: give yours a .Priority or .Label, or other types"
    )


def refuse_duplicates(
    sources: Iterable[Source],
    op: Callable[[str], OpDefinition | None],
    kernels: Callable[[str], Sequence[Registration]],
) -> None:
    """Makes sure that sources of custom ops register nothing that is registered already.

    Args:
      sources: the sources, in any order.
      op: gives TensorFlow's definition of an op by its name.
      kernels: gives TensorFlow's kernels for an op by its name.
    Raises InvalidInput with each second registration, and where the first one is.
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
                    f"{defined.file}:{defined.line}: defines the op {defined.name}, as "
                    f"{first.file}:{first.line} does: give yours another name"
                )
        for kernel in source.kernels:
            seen = own_kernels.setdefault(kernel.op, [])
            others = (*kernels(kernel.op), *seen)
            wrong += [_second_kernel(kernel, o) for o in others if _overlap(kernel, o)][:1]
            seen.append(kernel)
    if wrong:
        raise InvalidInput("\n  ".join(["registered twice:", *wrong]))
