"""The table of registrations in a built library, which tools/runtime/shims/registration_table.h writes."""

import re
from dataclasses import dataclass

from tfcarve.errors import InvalidInput
from tfcarve.registry import cpp

_FIELDS = {"unit": 1, "op": 2, "kernel": 3}
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_:]*\Z")


@dataclass(frozen=True, slots=True, order=True)
class OpRecord:
    """The registration of an OpDef.

    Attributes:
      name: the op's name.
      always: TensorFlow registers it whatever the selection (REGISTER_SYSTEM_OP).
    """

    name: str
    always: bool


@dataclass(frozen=True, slots=True, order=True)
class KernelRecord:
    """A kernel registration.

    Attributes:
      op: its op; empty if the source names it by a constant or registers it through the C API, so
        that only the class is known.
      clazz: the text of its class as the compiler sees it.
      always: TensorFlow registers it whatever the selection (REGISTER_SYSTEM_KERNEL_BUILDER).
    """

    op: str
    clazz: str
    always: bool


@dataclass(frozen=True, slots=True)
class Table:
    """Everything that a library registers, and the kernel sources that were compiled into it as units."""

    units: frozenset[str] = frozenset()
    ops: frozenset[OpRecord] = frozenset()
    kernels: frozenset[KernelRecord] = frozenset()

    def __or__(self, other: "Table") -> "Table":
        return Table(self.units | other.units, self.ops | other.ops, self.kernels | other.kernels)


def parse(data: bytes, where: str) -> Table:
    """Reads a table.

    Args:
      data: the content of the section: text records, each terminated by a zero byte.
      where: the library's name, for messages.

    Raises:
      InvalidInput: a record is invalid.
    """
    units: set[str] = set()
    ops: set[OpRecord] = set()
    kernels: set[KernelRecord] = set()
    for record in filter(None, data.split(b"\0")):
        kind, *fields = record.decode(errors="replace").split("\x1f")
        name = _op_name(fields[0]) if fields and kind != "unit" else ""
        if _FIELDS.get(kind) != len(fields) or name is None:
            raise InvalidInput(
                f"{where}: unknown record {record[:80]!r} in the table of registrations: "
                "was the library built by another version of tfcarve?"
            )
        match kind:
            case "unit":
                units.add(fields[0])
            case "op":
                ops.add(OpRecord(name, fields[1] == "true"))
            case _:
                kernels.add(KernelRecord(name, fields[2], fields[1] == "true"))
    return Table(frozenset(units), frozenset(ops), frozenset(kernels))


def _op_name(text: str) -> str | None:
    """The op's name from a record; "" for a C++ constant; None for text that is neither a constant nor a literal."""
    try:
        literal = cpp.literal(text)
    except ValueError:
        return None
    if literal is not None:
        return literal
    return "" if not text or _NAME.match(text) else None
