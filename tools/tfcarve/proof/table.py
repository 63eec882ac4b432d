"""The table of registrations in a built library.

tools/runtime/registration_table.h writes it, a record beside each registration.
Pure.
"""

import re
from dataclasses import dataclass

from tfcarve.errors import InvalidInput
from tfcarve.registry import cpp

_FIELDS = {"unit": 1, "op": 2, "kernel": 3}
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_:]*\Z")


@dataclass(frozen=True, slots=True, order=True)
class OpRecord:
    """A definition of an op.

    Attributes:
      name: the op's.
      always: TensorFlow registers it whatever is selected (REGISTER_SYSTEM_OP).
    """

    name: str
    always: bool


@dataclass(frozen=True, slots=True, order=True)
class KernelRecord:
    """A kernel.

    Attributes:
      op: its op; empty where the source names it by a constant or by a call of the C API, so
        that only the class is known.
      clazz: the text of its class as the compiler sees it.
      always: TensorFlow registers it whatever is selected (REGISTER_SYSTEM_KERNEL_BUILDER).
    """

    op: str
    clazz: str
    always: bool


@dataclass(frozen=True, slots=True)
class Table:
    """Everything that a library registers, and the sources that it was compiled from unit by unit."""

    units: frozenset[str]
    ops: frozenset[OpRecord]
    kernels: frozenset[KernelRecord]


def _name(text: str) -> str | None:
    """Returns the op's name from a record: "" where it is a constant; None where it is neither."""
    try:
        literal = cpp.literal(text)
    except ValueError:
        return None
    if literal is not None:
        return literal
    return "" if not text or _NAME.match(text) else None


def parse(data: bytes, where: str) -> Table:
    """Reads a table.

    Args:
      data: the content of the section: records of text, each ended by a zero byte.
      where: the library's name, for messages.
    Raises InvalidInput where a record is none.
    """
    units: set[str] = set()
    ops: set[OpRecord] = set()
    kernels: set[KernelRecord] = set()
    for record in filter(None, data.split(b"\0")):
        kind, *fields = record.decode(errors="replace").split("\x1f")
        name = _name(fields[0]) if fields and kind != "unit" else ""
        if _FIELDS.get(kind) != len(fields) or name is None:
            raise InvalidInput(
                f"{where}: its table of registrations has a record {record[:80]!r} that this tfcarve does not know: "
                "was it made by another version?"
            )
        match kind:
            case "unit":
                units.add(fields[0])
            case "op":
                ops.add(OpRecord(name, fields[1] == "true"))
            case _:
                kernels.add(KernelRecord(name, fields[2], fields[1] == "true"))
    return Table(frozenset(units), frozenset(ops), frozenset(kernels))
