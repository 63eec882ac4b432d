"""Finds what changed between two reports, and for which models."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

from msgspec.structs import replace

from tfcarve.size.origin import KERNELS, Part
from tfcarve.size.owners import Owners
from tfcarve.size.report import Entry, Report

# Kinds of changes.
OP, CLASS, FILE, PART = "op", "class", "file", "part"

_T = TypeVar("_T")
_Key = TypeVar("_Key")


@dataclass(frozen=True, slots=True)
class Change:
    """An op, class, file or part that was added or removed, or that grew or shrank.

    Attributes:
      kind: OP, CLASS, FILE or PART.
      name: its name.
      how: "added", "removed", "grew" or "shrank".
      bytes: change of the attributed bytes of the stripped file.
      models: the models that need it.
      symbols: its largest symbols in the new report, with their bytes.
    """

    kind: str
    name: str
    how: str
    bytes: int
    models: tuple[str, ...]
    symbols: tuple[tuple[str, int], ...] = ()

    def text(self) -> str:
        """Returns a line for the change, and a line for each symbol."""
        models = f", for {', '.join(self.models)}" if self.models else ""
        lines = [f"{self.kind} {self.name} {self.how}: {self.bytes:+,} bytes{models}"]
        return "\n".join([*lines, *(f"    {size:>9,}  {name}" for name, size in self.symbols)])


def summary(report: Report) -> Report:
    """Returns the report without symbols, and with one entry for each part other than kernels.

    A committed file has it: it is small, and `changes` finds the same changes with it, without symbols.
    """
    summed: dict[tuple[Part, str, str], int] = {}
    for entry in report.entries:
        key = (
            (entry.part, entry.file, entry.clazz) if entry.part == KERNELS else (entry.part, "", "")
        )
        summed[key] = summed.get(key, 0) + entry.bytes
    entries = tuple(sorted(Entry(p, f, c, "", size) for (p, f, c), size in summed.items()))
    return replace(report, entries=entries)


def changes(old: Report, new: Report) -> list[Change]:
    """Returns the changes of ops, classes, files and parts, in this order, largest first."""
    found = [
        *_of_ops(old, new),
        *_of_classes(old, new),
        *_of_key(FILE, old, new, lambda e: e.file if e.part == KERNELS else ""),
        *_of_key(PART, old, new, lambda e: e.part),
    ]
    order = (OP, CLASS, FILE, PART)
    return sorted(found, key=lambda c: (order.index(c.kind), -abs(c.bytes), c.name))


def _how(before: bool, after: bool, delta: int) -> str:
    if before != after:
        return "added" if after else "removed"
    return "grew" if delta > 0 else "shrank"


def _grouped(values: Iterable[_T], key: Callable[[_T], _Key]) -> Mapping[_Key, Sequence[_T]]:
    """Returns the values with each key, in their order."""
    found: dict[_Key, list[_T]] = defaultdict(list)
    for value in values:
        found[key(value)].append(value)
    return found


def _of_ops(old: Report, new: Report) -> Iterator[Change]:
    """Ops that were added or removed, with the bytes that only they need."""
    sides = [({d.op for d in r.definitions}, r, Owners(r)) for r in (old, new)]
    for (names, report, owners), others, sign in (
        (sides[0], sides[1][0], -1),
        (sides[1], sides[0][0], 1),
    ):
        sizes = report.by(owners.op)
        definitions = _grouped(report.definitions, lambda d: d.op)
        for op in sorted(names - others):
            models = {m for d in definitions[op] for m in d.models}
            how = _how(sign < 0, sign > 0, 0)
            yield Change(OP, op, how, sign * sizes.get(op, 0), tuple(sorted(models)))


def _of_classes(old: Report, new: Report) -> Iterator[Change]:
    """Classes that were added or removed, and classes that changed in sources that have the same classes as before.

    In other sources a class also changes because what the classes of a source share is attributed differently.
    """
    before, after = ({(k.file, k.clazz): k for k in r.kernels} for r in (old, new))
    old_bytes, new_bytes = (_bytes(r.entries) for r in (old, new))
    changed_files = {file for file, _ in before.keys() ^ after.keys()}
    entries = _grouped(new.entries, lambda e: (e.file, e.clazz))
    for key in sorted(before.keys() | after.keys()):
        delta = new_bytes.get(key, 0) - old_bytes.get(key, 0)
        if (key in before) != (key in after) or (delta and key[0] not in changed_files):
            kernel = after.get(key) or before[key]
            symbols = _largest(entries.get(key, ()))
            how = _how(key in before, key in after, delta)
            yield Change(CLASS, f"{key[1]} ({key[0]})", how, delta, kernel.models, symbols)


def _bytes(entries: Iterable[Entry]) -> dict[tuple[str, str], int]:
    found: dict[tuple[str, str], int] = {}
    for entry in entries:
        if entry.clazz:
            found[entry.file, entry.clazz] = found.get((entry.file, entry.clazz), 0) + entry.bytes
    return found


def _of_key(kind: str, old: Report, new: Report, key: Callable[[Entry], str]) -> Iterator[Change]:
    before, after = old.by(key), new.by(key)
    entries, owners = [_grouped(r.entries, key) for r in (old, new)], (Owners(old), Owners(new))
    for name in sorted((before.keys() | after.keys()) - {""}):
        delta = after.get(name, 0) - before.get(name, 0)
        if delta:
            side = int(name in after)
            # Entries of the same class have the same models.
            distinct = {(e.file, e.clazz): e for e in entries[side][name]}.values()
            models = {m for e in distinct for m in owners[side].models(e)}
            symbols = _largest(entries[1].get(name, ()) if kind == FILE else ())
            how = _how(name in before, name in after, delta)
            yield Change(kind, name, how, delta, tuple(sorted(models)), symbols)


def _largest(entries: Iterable[Entry], count: int = 3) -> tuple[tuple[str, int], ...]:
    named = sorted((e for e in entries if e.symbol), key=lambda e: (-e.bytes, e.symbol))
    return tuple((e.symbol, e.bytes) for e in named[:count])
