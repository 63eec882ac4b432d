"""The ops and models that an entry of a report is for."""

from collections import defaultdict
from collections.abc import Iterable, Sequence

from tfcarve.size.origin import KERNELS
from tfcarve.size.report import Entry, Report

# In place of a name, for entries that several ops or models share, and for those that all need.
SHARED = "shared"
EVERY = "the runtime"


class Owners:
    """The ops and models of a report's entries.

    An entry of a kernel class is for the ops that the class implements and the models that need it. An entry
    of a source without a class is for all ops and models of the source.
    """

    def __init__(self, report: Report) -> None:
        self._ops: dict[tuple[str, str], set[str]] = defaultdict(set)
        self._models: dict[tuple[str, str], set[str]] = defaultdict(set)
        for kernel in report.kernels:
            for clazz in ("", kernel.clazz):
                self._add(kernel.file, clazz, kernel.ops, kernel.models)
        for definition in report.definitions:
            self._add(definition.file, "", [definition.op], definition.models)

    def _add(self, file: str, clazz: str, ops: Iterable[str], models: Iterable[str]) -> None:
        self._ops[file, clazz].update(ops)
        self._models[file, clazz].update(models)

    def ops(self, entry: Entry) -> Sequence[str]:
        """Returns the ops that an entry is for; none if it is not of a kernel source."""
        return sorted(self._ops.get((entry.file, entry.clazz), ())) if entry.part == KERNELS else []

    def models(self, entry: Entry) -> Sequence[str]:
        """Returns the models that an entry is for; none if it is of the runtime, which all models need."""
        return (
            sorted(self._models.get((entry.file, entry.clazz), ())) if entry.part == KERNELS else []
        )

    def op(self, entry: Entry) -> str:
        """Returns the op that an entry is for, SHARED if there are several, or EVERY."""
        return _one(self.ops(entry))

    def model(self, entry: Entry) -> str:
        """Returns the model that an entry is for, SHARED if there are several, or EVERY."""
        return _one(self.models(entry))


def _one(names: Sequence[str]) -> str:
    if not names:
        return EVERY
    return names[0] if len(names) == 1 else SHARED
