"""Finds lookup tables that a model reads before it initializes them. Pure.

A lookup in such a table fails. TensorFlow loads the graph nevertheless: an app may run the initializer first.

Source: tensorflow/core/ops/lookup_ops.cc, tensorflow/core/kernels/initializable_lookup_table.cc.
"""

import itertools
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from tfcarve.control_flow import ENTERS, SWITCHES
from tfcarve.models.node_use import NodeUse
from tfcarve.models.signature_def import node_of

# Other tables are empty at first, and need no initializer.
TABLES = frozenset(("HashTable", "HashTableV2"))
# Formats of graphs that run without freezing. Freezing replaces the tables of other models.
GRAPHS = frozenset(("graphdef", "graphdef-text", "memmapped"))
INITIALIZERS = frozenset((
    *("InitializeTable", "InitializeTableV2", "InitializeTableFromDataset"),
    *("InitializeTableFromTextFile", "InitializeTableFromTextFileV2"),
    *("LookupTableImport", "LookupTableImportV2"),
))  # fmt: skip
_READERS = frozenset(("LookupTableFind", "LookupTableFindV2"))
# The search visits the graph once for each table, and a hostile model may have very many tables.
_MAX_TABLES = 100
# Ops that return the handle that is their first input.
_SAME_HANDLE = frozenset(("Identity", "RefIdentity")) | ENTERS | SWITCHES


@dataclass(frozen=True, slots=True)
class UnreadyTable:
    """A table that a lookup reads without depending on an initializer.

    Attributes:
      table: the node that creates it.
      lookup: a node that reads it.
      initializers: the nodes that would initialize the table; empty if the graph has none.
    """

    table: str
    lookup: str
    initializers: tuple[str, ...]

    def what(self) -> str:
        """Returns the fault as text."""
        if not self.initializers:
            return f"lookup table {self.table!r} is never initialized: {self.lookup!r} fails when it runs"
        return (
            f"lookup table {self.table!r} is not initialized when the outputs are computed: {self.lookup!r} fails unless "
            f"{self.initializers[0]!r} has run in the session"
        )

    def fix(self, model: str) -> str:
        """Returns the way to correct the fault; `model` is the model's path."""
        if not self.initializers:
            return (
                "the program that froze the graph removed the initializer: freeze the original model with tfcarve freeze, "
                "which replaces lookup tables by constants"
            )
        return f"replace lookup tables by constants: tfcarve freeze {model} --outputs NAMES -o OUT"


def _key(use: NodeUse) -> tuple[str, ...]:
    """Returns the key of a table: nodes with the same shared_name create the same table."""
    texts = [use.attrs.get(name) for name in ("container", "shared_name")]
    container, shared = (str(text.value) if text is not None else "" for text in texts)
    return (container, shared) if shared else (use.node,)


class _Graph:
    def __init__(self, uses: Iterable[NodeUse]) -> None:
        self.nodes = {use.node: use for use in uses}
        self._tables: dict[str, NodeUse | None] = {}
        self._readers: dict[str, list[str]] = {}
        for use in self.nodes.values():
            for text in use.inputs:
                self._readers.setdefault(node_of(text), []).append(use.node)

    def table(self, use: NodeUse) -> NodeUse | None:
        """Returns the table whose handle is the first input of a node; None if it is unknown."""
        passed = []
        while use.node not in self._tables:
            passed.append(use.node)
            self._tables[use.node] = None  # a cycle leads nowhere
            source = self.nodes.get(node_of(use.inputs[0])) if use.inputs else None
            if source is None or source.op not in _SAME_HANDLE:
                found = source if source is not None and source.op in TABLES else None
                self._tables[use.node] = found
                break
            use = source
        self._tables.update(dict.fromkeys(passed, self._tables[use.node]))
        return self._tables[use.node]

    def dependents(self, names: Iterable[str]) -> set[str]:
        """Returns `names`, and all nodes that depend on one of them."""
        found = set(names)
        todo = list(found)
        while todo:
            new = [name for name in self._readers.get(todo.pop(), ()) if name not in found]
            found.update(new)
            todo += new
        return found


def unready_tables(uses: Sequence[NodeUse]) -> list[UnreadyTable]:
    """Returns the tables of a graph that a lookup reads without depending on an initializer.

    Args:
      uses: the nodes of a GraphDef and of its functions. A part of a SavedModel may lack the initializers.

    Returns:
      One item for each table, in the order of the nodes; empty if a function initializes tables: it may get any table.
    """
    if not any(use.op in TABLES for use in uses):
        return []
    if any(use.function and use.op in INITIALIZERS for use in uses):
        return []
    graph = _Graph(use for use in uses if not use.function)
    initializers: dict[tuple[str, ...], list[str]] = {}
    lookups: dict[tuple[str, ...], list[str]] = {}
    created: dict[tuple[str, ...], str] = {}
    for use in graph.nodes.values():
        if use.op in TABLES:
            created.setdefault(_key(use), use.node)
        if use.op in INITIALIZERS or use.op in _READERS:
            table = graph.table(use)
            if table is None and use.op in INITIALIZERS:
                return []  # it may initialize any table
            if table is not None:
                by_table = initializers if use.op in INITIALIZERS else lookups
                by_table.setdefault(_key(table), []).append(use.node)
    found = []
    for key, name in itertools.islice(created.items(), _MAX_TABLES):
        nodes = initializers.get(key, [])
        ready = graph.dependents(nodes) if nodes else set()
        unready = [lookup for lookup in lookups.get(key, ()) if lookup not in ready]
        if unready:
            found.append(UnreadyTable(name, unready[0], tuple(nodes)))
    return found
