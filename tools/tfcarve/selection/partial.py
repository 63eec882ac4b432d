"""A selection under construction."""

from collections.abc import Collection
from dataclasses import dataclass, field
from typing import TypeVar

from tfcarve.registry.index import Registration
from tfcarve.selection.missing import Missing
from tfcarve.selection.need import Need
from tfcarve.selection.refused_attributes import Refusal
from tfcarve.validity.fault import Reason

# The number of nodes that are listed for each op or kernel.
_MAX_NEEDS = 100

# A node, and its fault.
Invalid = tuple[Need, str]

Key = TypeVar("Key")


def add_need(table: dict[Key, list[Need]], key: Key, need: Need) -> None:
    """Adds a need to one of the tables below."""
    needs = table.setdefault(key, [])
    if len(needs) < _MAX_NEEDS:
        needs.append(need)


@dataclass
class PartialSelection:
    """The results of resolve.resolve so far.

    Attributes:
      ops: the nodes that need each op.
      kernels: the nodes that need each kernel.
      why: why each kernel was chosen.
      missing: the nodes that need each op or kernel that does not exist.
      refused: the nodes with each attribute value that their kernel refuses.
      invalid: for each reason why TensorFlow refuses a graph, the nodes and their faults.
      warnings: about models.
      ignored: the attributes that the index does not have and that change nothing, by model.
      devices: the nodes that are placed on each other device.
      types: the data types in use, by op and attribute.
      leftovers: the leftover nodes, by kind, op and the command lines that remove them.
      used: ops with a node that is not a leftover.
    """

    ops: dict[str, list[Need]] = field(default_factory=dict)
    kernels: dict[Registration, list[Need]] = field(default_factory=dict)
    why: dict[Registration, set[str]] = field(default_factory=dict)
    missing: dict[Missing, list[Need]] = field(default_factory=dict)
    refused: dict[Refusal, list[Need]] = field(default_factory=dict)
    invalid: dict[Reason, list[Invalid]] = field(default_factory=dict)
    warnings: list[str] = field(default_factory=list)
    ignored: dict[str, set[str]] = field(default_factory=dict)
    devices: dict[str, list[Need]] = field(default_factory=dict)
    types: dict[tuple[str, str], set[str]] = field(default_factory=dict)
    leftovers: dict[tuple[str, str, str], list[Need]] = field(default_factory=dict)
    used: set[str] = field(default_factory=set)

    def add_invalid(self, reason: Reason, node: Invalid) -> None:
        """Adds a node for which TensorFlow refuses a graph."""
        nodes = self.invalid.setdefault(reason, [])
        if len(nodes) < _MAX_NEEDS:
            nodes.append(node)

    def drop_kernels(self, ops: Collection[str]) -> None:
        """Removes the kernels of some ops."""
        self.kernels = {r: needs for r, needs in self.kernels.items() if r.op not in ops}

    def add_kernel(self, registration: Registration, need: Need | None, why: str) -> None:
        """Adds a kernel, the node or list entry that needs it, and why it was chosen."""
        self.kernels.setdefault(registration, [])
        if need is not None:
            add_need(self.kernels, registration, need)
        self.why.setdefault(registration, set()).add(why)
