"""Compares the registrations in a library with its selection, in both directions."""

import difflib
from collections.abc import Iterable, Iterator

import msgspec

from tfcarve.errors import Problem
from tfcarve.json_codec import JsonDocument
from tfcarve.proof.table import KernelRecord, Table
from tfcarve.selection.need import shown
from tfcarve.selection.selection import SelectedKernel, SelectedOp, Selection

# The nearest class is searched for this many missing kernels: each search takes milliseconds.
_MAX_SEARCHES = 100


class Kernel(JsonDocument, frozen=True):
    """A kernel by its op and class."""

    op: str
    clazz: str = msgspec.field(name="class")


class Proof(JsonDocument, frozen=True):
    """The result of a comparison.

    Attributes:
      version: of the JSON form.
      library: name of the file, with the slice of a universal file.
      registered: number of selected ops and kernels that the library registers.
      always: number of other ops and kernels, which TensorFlow registers whatever the selection.
      implied: kernels that no model needs, but whose op and class are both selected in one source:
        TensorFlow checks the two separately, so they are registered too.
      problems: each missing op or kernel, with the nodes that need it, and each surplus one; all with a remedy.
    """

    library: str
    registered: int
    always: int
    implied: tuple[Kernel, ...]
    problems: tuple[Problem, ...]
    version: int = 1


def prove(library: str, selection: Selection, table: Table, refused: Table) -> Proof:
    """Compares the registrations in a library with its selection.

    Args:
      library: its name.
      selection: the selection that the library was carved to.
      table: the registrations in the library.
      refused: the registrations in its sources that the selection excludes, as far as known. Hints name the nearest
        class among them.
    """
    implied, surplus = _surplus(selection, table)
    missing = tuple(_missing(selection, table, refused))
    extra = tuple(_not_selected(selection, table, surplus))
    always = sum(r.always for r in table.ops) + sum(r.always for r in table.kernels)
    selected = len(selection.ops) + len(selection.kernels)
    return Proof(library, selected - len(missing), always, tuple(implied), (*missing, *extra))


def _squeezed(clazz: str) -> str:
    return "".join(clazz.split())


class _Registered:
    """The kernels of a table, for membership tests."""

    def __init__(self, table: Table) -> None:
        self._pairs = {(k.op, _squeezed(k.clazz)) for k in table.kernels}

    def has(self, kernel: SelectedKernel) -> bool:
        clazz = _squeezed(kernel.clazz)
        # Records without an op match by class alone.
        return (kernel.op, clazz) in self._pairs or ("", clazz) in self._pairs


class _Compiled:
    """The classes in a library's units, whether or not they are selected."""

    def __init__(self, kernels: Iterable[KernelRecord]) -> None:
        self._of_op: dict[str, set[str]] = {}
        for kernel in kernels:
            self._of_op.setdefault(kernel.op, set()).add(kernel.clazz)
        self._searches_left = _MAX_SEARCHES

    def nearest(self, kernel: SelectedKernel) -> str:
        """Returns a hint with the class of the kernel's op that is most similar."""
        # Records without an op may be of any op.
        classes = self._of_op.get(kernel.op, set()) | self._of_op.get("", set())
        if not classes:
            return "no class of this op is in the library"
        if not self._searches_left:
            return f"{len(classes)} other classes of this op are in the library"
        self._searches_left -= 1
        (near,) = difflib.get_close_matches(kernel.clazz, sorted(classes), n=1, cutoff=0)
        return f"the nearest class is {near!r}"


def _absent_unit(file: str, table: Table) -> str:
    if file in table.units:
        return ""
    return (
        f"the library has no unit of {file}: "
        "is it missing from the link, or not linked as a whole archive (alwayslink)?"
    )


def _missing_op(op: SelectedOp, table: Table) -> Problem:
    hint = _absent_unit(op.file, table) or f"the unit of {op.file} does not register it"
    return Problem(f"op {op.name!r} is needed but not registered", shown(op.needed_by), hint)


def _missing_kernel(kernel: SelectedKernel, table: Table, compiled: _Compiled) -> Problem:
    what = f"kernel {kernel.clazz!r} of op {kernel.op!r} is needed but not registered"
    hint = _absent_unit(kernel.file, table)
    if not hint:
        what = f"kernel {kernel.clazz!r} of op {kernel.op!r} is selected but in no compiled unit"
        hint = f"in {kernel.file}: {compiled.nearest(kernel)}"
    return Problem(what, shown(kernel.needed_by), hint)


def _missing(selection: Selection, table: Table, refused: Table) -> Iterator[Problem]:
    names = {op.name for op in table.ops}
    registered = _Registered(table)
    compiled = _Compiled(table.kernels | refused.kernels)
    for op in selection.ops:
        if op.name not in names:
            yield _missing_op(op, table)
    for kernel in selection.kernels:
        if not registered.has(kernel):
            yield _missing_kernel(kernel, table, compiled)


def _surplus(selection: Selection, table: Table) -> tuple[list[Kernel], list[Kernel]]:
    """Returns the registered kernels that no model needs: the implied ones, and the others."""
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


def _not_selected(
    selection: Selection, table: Table, surplus: Iterable[Kernel]
) -> Iterator[Problem]:
    needed = {op.name for op in selection.ops}
    remedy = "no model needs it: is another library's unit or an unselected source linked in?"
    for record in sorted(table.ops):
        if not record.always and record.name not in needed:
            yield Problem(f"op {record.name!r} is registered but not selected", (), remedy)
    for extra in surplus:
        of_op = f" of op {extra.op!r}" if extra.op else ""
        yield Problem(f"kernel {extra.clazz!r}{of_op} is registered but not selected", (), remedy)
