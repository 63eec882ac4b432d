"""What changed between two reports, and for whom."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from tfcarve.size.origin import KERNELS
from tfcarve.size.owners import Owners
from tfcarve.size.report import Entry, Report

# What a change is about.
OP, CLASS, FILE, PART = "op", "class", "file", "part"


@dataclass(frozen=True, slots=True)
class Change:
    """An op, class, file or part that came in, went out, grew or shrank.

    Fields:
      kind: OP, CLASS, FILE or PART.
      name: its name.
      how: "came in", "went out", "grew" or "shrank".
      bytes: of the stripped file, by attribution; negative for less.
      models: that need it, of the report that has it.
      symbols: its largest symbols in the new report, with their bytes.
    """

    kind: str
    name: str
    how: str
    bytes: int
    models: tuple[str, ...]
    symbols: tuple[tuple[str, int], ...] = ()

    def text(self) -> str:
        """Returns the change in a line, and its symbols in lines of their own."""
        models = f", for {', '.join(self.models)}" if self.models else ""
        lines = [f"{self.kind} {self.name} {self.how}: {self.bytes:+,} bytes{models}"]
        return "\n".join([*lines, *(f"    {size:>9,}  {name}" for name, size in self.symbols)])


def summary(report: Report) -> Report:
    """Returns the report without symbols, and with one entry for each part that no selection changes.

    It is what stands in a committed file: small, and with all that `changes` compares but symbols.
    """
    summed: dict[tuple[str, str, str], int] = {}
    for entry in report.entries:
        key = (
            (entry.part, entry.file, entry.clazz) if entry.part == KERNELS else (entry.part, "", "")
        )
        summed[key] = summed.get(key, 0) + entry.bytes
    entries = tuple(sorted(Entry(p, f, c, "", size) for (p, f, c), size in summed.items()))
    return Report(
        report.platform, report.sizes, entries, report.kernels, report.definitions, report.models
    )


def changes(old: Report, new: Report) -> list[Change]:
    """Returns what changed, each kind with the largest first: ops, classes, files, then parts."""
    found = [
        *_of_ops(old, new),
        *_of_classes(old, new),
        *_of_key(FILE, old, new, lambda e: e.file if e.part == KERNELS else ""),
        *_of_key(PART, old, new, lambda e: e.part),
    ]
    order = (OP, CLASS, FILE, PART)
    return sorted(found, key=lambda c: (order.index(c.kind), -abs(c.bytes), c.name))


def _how(was: bool, there: bool, delta: int) -> str:
    if was != there:
        return "came in" if there else "went out"
    return "grew" if delta > 0 else "shrank"


def _of_ops(old: Report, new: Report) -> Iterator[Change]:
    """Ops that came in or went out, with the bytes that are theirs alone."""
    sides = [({d.op for d in r.definitions}, r, Owners(r)) for r in (old, new)]
    for (names, report, owners), others, sign in (
        (sides[0], sides[1][0], -1),
        (sides[1], sides[0][0], 1),
    ):
        sizes = report.by(owners.op)
        for op in sorted(names - others):
            models = {m for d in report.definitions if d.op == op for m in d.models}
            how = _how(sign < 0, sign > 0, 0)
            yield Change(OP, op, how, sign * sizes.get(op, 0), tuple(sorted(models)))


def _of_classes(old: Report, new: Report) -> Iterator[Change]:
    """Classes that came in or went out; and those that changed, where their source has the same ones.

    With another class beside it, what a source's classes share is attributed otherwise.
    """
    had, has = ({(k.file, k.clazz): k for k in r.kernels} for r in (old, new))
    was, now = (_bytes(r.entries) for r in (old, new))
    for key in sorted(had.keys() | has.keys()):
        delta = now.get(key, 0) - was.get(key, 0)
        same = not any(changed[0] == key[0] for changed in had.keys() ^ has.keys())
        if (key in had) != (key in has) or (delta and same):
            kernel = has.get(key) or had[key]
            symbols = _largest(e for e in new.entries if (e.file, e.clazz) == key)
            how = _how(key in had, key in has, delta)
            yield Change(CLASS, f"{key[1]} ({key[0]})", how, delta, kernel.models, symbols)


def _bytes(entries: Iterable[Entry]) -> dict[tuple[str, str], int]:
    found: dict[tuple[str, str], int] = {}
    for entry in entries:
        if entry.clazz:
            found[entry.file, entry.clazz] = found.get((entry.file, entry.clazz), 0) + entry.bytes
    return found


def _of_key(kind: str, old: Report, new: Report, key: Callable[[Entry], str]) -> Iterator[Change]:
    was, now = old.by(key), new.by(key)
    for name in sorted((was.keys() | now.keys()) - {""}):
        delta = now.get(name, 0) - was.get(name, 0)
        if delta:
            report = new if name in now else old
            owners = Owners(report)
            models = {m for e in report.entries if key(e) == name for m in owners.models(e)}
            symbols = _largest(e for e in new.entries if kind == FILE and key(e) == name)
            how = _how(name in was, name in now, delta)
            yield Change(kind, name, how, delta, tuple(sorted(models)), symbols)


def _largest(entries: Iterable[Entry], count: int = 3) -> tuple[tuple[str, int], ...]:
    named = sorted((e for e in entries if e.symbol), key=lambda e: (-e.bytes, e.symbol))
    return tuple((e.symbol, e.bytes) for e in named[:count])
