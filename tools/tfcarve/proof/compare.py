"""Whether a library registers what its selection asks for, both ways. Pure."""

import difflib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from tfcarve.errors import Problem
from tfcarve.proof.table import KernelRecord, Table
from tfcarve.selection.need import shown
from tfcarve.selection.selection import SelectedKernel, SelectedOp, Selection

# The nearest classes of so many missing kernels are looked for: each takes milliseconds.
_LOOKED_FOR = 100


@dataclass(frozen=True, slots=True)
class Kernel:
    """A kernel by its op and class."""

    op: str
    clazz: str


@dataclass(frozen=True, slots=True)
class Proof:
    """What was compared, and what is not as it should be.

    Attributes:
      registered: how many of the selected ops and kernels are there.
      always: how many more TensorFlow always registers.
      implied: kernels that nobody needs, but whose op and whose class are both selected in one
        source: TensorFlow asks for the two separately, so they come along.
      problems: what is missing and what is too much, each with who needs it and the remedy.
    """

    registered: int
    always: int
    implied: tuple[Kernel, ...]
    problems: tuple[Problem, ...] = field(default=())

    def to_json(self) -> dict[str, Any]:
        """Returns the JSON form."""
        return {
            "version": 1,
            "registered": self.registered,
            "always": self.always,
            "implied": [{"op": k.op, "class": k.clazz} for k in self.implied],
            "problems": [
                {"what": p.what, "needed_by": list(p.needed_by), "hint": p.hint}
                for p in self.problems
            ],
        }


def _squeezed(clazz: str) -> str:
    return "".join(clazz.split())


class _Registered:
    """The kernels of a table, each question answered by a set."""

    def __init__(self, table: Table) -> None:
        self._pairs = {(k.op, _squeezed(k.clazz)) for k in table.kernels}

    def has(self, kernel: SelectedKernel) -> bool:
        clazz = _squeezed(kernel.clazz)
        # Where the op is not known, the class alone tells.
        return (kernel.op, clazz) in self._pairs or ("", clazz) in self._pairs


class _Compiled:
    """The classes that a library's units have, whether or not they were asked for."""

    def __init__(self, kernels: Iterable[KernelRecord]) -> None:
        self._of_op: dict[str, set[str]] = {}
        for kernel in kernels:
            self._of_op.setdefault(kernel.op, set()).add(kernel.clazz)
        self._left = _LOOKED_FOR

    def nearest(self, kernel: SelectedKernel) -> str:
        """Returns a hint with the class of the kernel's op that is most like it."""
        # Of an op that is not known any may be.
        classes = self._of_op.get(kernel.op, set()) | self._of_op.get("", set())
        if not classes:
            return "no class of this op is in the library"
        if not self._left:
            return f"{len(classes)} other classes of this op are in the library"
        self._left -= 1
        (near,) = difflib.get_close_matches(kernel.clazz, sorted(classes), n=1, cutoff=0)
        return f"the nearest class is {near!r}"


def _missing(file: str, table: Table) -> str:
    if file in table.units:
        return ""
    return (
        f"no unit of {file} is in the library: was it left out of the link, or not forced into it?"
    )


def _missing_op(op: SelectedOp, table: Table) -> Problem:
    hint = _missing(op.file, table) or f"the unit of {op.file} is there and does not register it"
    return Problem(f"op {op.name!r} is needed and not registered", shown(op.needed_by), hint)


def _missing_kernel(kernel: SelectedKernel, table: Table, compiled: _Compiled) -> Problem:
    what = f"kernel {kernel.clazz!r} of op {kernel.op!r} is needed and not registered"
    hint = _missing(kernel.file, table)
    if not hint:
        what = f"kernel {kernel.clazz!r} of op {kernel.op!r} is listed and no compiled unit has it"
        hint = f"in {kernel.file}: {compiled.nearest(kernel)}"
    return Problem(what, shown(kernel.needed_by), hint)


def _surplus(selection: Selection, table: Table) -> tuple[list[Kernel], list[Kernel]]:
    """Returns the kernels that nobody needs: those that come along, and the others."""
    needed = {(k.op, _squeezed(k.clazz)) for k in selection.kernels}
    classes = {f: {_squeezed(c) for c in cs} for f, cs in selection.classes_by_file().items()}
    ops = {f: set(names) for f, names in selection.ops_by_file().items()}
    implied, surplus = [], []
    for record in sorted(table.kernels):
        clazz = _squeezed(record.clazz)
        if record.always or (record.op, clazz) in needed:
            continue
        if any(clazz in classes[f] and (record.op in ops[f] or not record.op) for f in classes):
            if record.op:
                implied.append(Kernel(record.op, record.clazz))
        else:
            surplus.append(Kernel(record.op, record.clazz))
    return implied, surplus


def _problems(
    selection: Selection, table: Table, refused: Table, surplus: Iterable[Kernel]
) -> Iterator[Problem]:
    names = {op.name for op in table.ops}
    registered = _Registered(table)
    compiled = _Compiled(table.kernels | refused.kernels)
    for op in selection.ops:
        if op.name not in names:
            yield _missing_op(op, table)
    for kernel in selection.kernels:
        if not registered.has(kernel):
            yield _missing_kernel(kernel, table, compiled)
    needed = {op.name for op in selection.ops}
    remedy = (
        "nobody needs it: does another library's selection, or a source outside of it, come in?"
    )
    for record in sorted(table.ops):
        if not record.always and record.name not in needed:
            yield Problem(f"op {record.name!r} is registered and not selected", (), remedy)
    for extra in surplus:
        of_op = f" of op {extra.op!r}" if extra.op else ""
        yield Problem(f"kernel {extra.clazz!r}{of_op} is registered and not selected", (), remedy)


def prove(selection: Selection, table: Table, refused: Table) -> Proof:
    """Compares what is registered with what is selected.

    Args:
      selection: what the library was carved to.
      table: what the library registers.
      refused: what its sources could register and were not asked for, as far as that is known: the
        nearest class is looked for there.
    """
    implied, surplus = _surplus(selection, table)
    problems = tuple(_problems(selection, table, refused, surplus))
    always = sum(r.always for r in table.ops) + sum(r.always for r in table.kernels)
    asked = len(selection.ops) + len(selection.kernels)
    lacking = sum(" is registered and not selected" not in p.what for p in problems)
    return Proof(asked - lacking, always, tuple(implied), problems)
