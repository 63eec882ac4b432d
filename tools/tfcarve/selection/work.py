"""What a selection has found so far."""

from dataclasses import dataclass, field
from typing import TypeVar

from tfcarve.registry.index import Registration
from tfcarve.selection.missing import Missing
from tfcarve.selection.selection import Need

# So many nodes are kept for each op or kernel and model: enough to find it.
_NEEDS_KEPT = 100

Key = TypeVar("Key")


def note(table: dict[Key, list[Need]], key: Key, need: Need) -> None:
    """Adds a need to one of the tables below."""
    needs = table.setdefault(key, [])
    if len(needs) < _NEEDS_KEPT:
        needs.append(need)


@dataclass
class Work:
    """What has been found so far; lives only inside resolve.resolve."""

    ops: dict[str, list[Need]] = field(default_factory=dict)
    kernels: dict[Registration, list[Need]] = field(default_factory=dict)
    why: dict[Registration, set[str]] = field(default_factory=dict)
    missing: dict[Missing, list[Need]] = field(default_factory=dict)
    devices: dict[str, list[Need]] = field(default_factory=dict)
    types: dict[tuple[str, str], set[str]] = field(default_factory=dict)  # of (op, attribute)
    # What is left over, of (kind, op, what removes it).
    left: dict[tuple[str, str, str], list[Need]] = field(default_factory=dict)
    kept: set[str] = field(default_factory=set)  # ops of which a node is not left over

    def take(self, registration: Registration, need: Need | None, why: str) -> None:
        """Notes that a kernel is needed, by whom where a node or a list asks for it, and why it is this one."""
        self.kernels.setdefault(registration, [])
        if need is not None:
            note(self.kernels, registration, need)
        self.why.setdefault(registration, set()).add(why)
