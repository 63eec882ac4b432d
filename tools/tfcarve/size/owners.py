"""The ops and models that an entry of a report is for."""

from collections import defaultdict
from collections.abc import Mapping, Sequence, Set

from tfcarve.size.origin import KERNELS
from tfcarve.size.report import Entry, Report

# In place of a name, for entries that several ops or models share, and for those that all need.
SHARED = "shared"
EVERY = "the runtime"

# A file and a kernel class, or "".
_Key = tuple[str, str]


class Owners:
    """The ops and models of a report's entries.

    An entry of a kernel class is for the ops that the class implements and the models that need it. An entry
    of a source without a class is for all ops and models of the source.
    """

    def __init__(self, report: Report) -> None:
        ops: dict[_Key, set[str]] = defaultdict(set)
        models: dict[_Key, set[str]] = defaultdict(set)
        for kernel in report.kernels:
            for clazz in ("", kernel.clazz):
                ops[kernel.file, clazz].update(kernel.ops)
                models[kernel.file, clazz].update(kernel.models)
        for definition in report.definitions:
            ops[definition.file, ""].add(definition.op)
            models[definition.file, ""].update(definition.models)
        self._ops = _sorted(ops)
        self._models = _sorted(models)

    def ops(self, entry: Entry) -> Sequence[str]:
        """Returns the ops that an entry is for; none if it is not of a kernel source."""
        return self._ops.get((entry.file, entry.clazz), ()) if entry.part == KERNELS else ()

    def models(self, entry: Entry) -> Sequence[str]:
        """Returns the models that an entry is for; none if it is of the runtime, which all models need."""
        return self._models.get((entry.file, entry.clazz), ()) if entry.part == KERNELS else ()

    def op(self, entry: Entry) -> str:
        """Returns the op that an entry is for, SHARED if there are several, or EVERY."""
        return _one(self.ops(entry))

    def model(self, entry: Entry) -> str:
        """Returns the model that an entry is for, SHARED if there are several, or EVERY."""
        return _one(self.models(entry))


def op_bytes(report: Report) -> dict[str, int]:
    """Returns the bytes that only one op needs, by op, largest first."""
    found = report.by(Owners(report).op)
    return {op: size for op, size in found.items() if op not in (SHARED, EVERY)}


def _sorted(sets: Mapping[_Key, Set[str]]) -> Mapping[_Key, Sequence[str]]:
    return {key: sorted(found) for key, found in sets.items()}


def _one(names: Sequence[str]) -> str:
    if not names:
        return EVERY
    return names[0] if len(names) == 1 else SHARED
