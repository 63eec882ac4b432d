"""Finds the content of a graph's lookup tables after its initializers have run.

Source: tensorflow/core/ops/lookup_ops.cc.
"""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from tfcarve.errors import InvalidInput
from tfcarve.prepare.evaluate.evaluator import Evaluator
from tfcarve.prepare.freeze.checkpoint import Checkpoint, location_of
from tfcarve.prepare.freeze.computed import computed
from tfcarve.prepare.freeze.nodes import constant, make, strings
from tfcarve.prepare.freeze.trace import Trace
from tfcarve.prepare.graph import tensors
from tfcarve.prepare.graph.messages import NodeDef
from tfcarve.prepare.graph.tensors import Array

TABLES = frozenset(("HashTable", "HashTableV2", "MutableHashTable", "MutableHashTableV2"))
_FROM_TENSORS = frozenset((
    "InitializeTable", "InitializeTableV2", "LookupTableImport", "LookupTableImportV2",
))  # fmt: skip
_FROM_FILE = frozenset(("InitializeTableFromTextFile", "InitializeTableFromTextFileV2"))
INITIALIZERS = _FROM_TENSORS | _FROM_FILE
_FILE_ATTRS = frozenset(("vocab_size", "delimiter", "offset", "key_index", "value_index"))


@dataclass(frozen=True, slots=True)
class Content:
    """Unique keys, and the value of each: arrays with one dimension."""

    keys: Array
    values: Array


@dataclass(frozen=True, slots=True)
class Sources:
    """The sources of contents.

    Attributes:
      trace: the graph with its initializers.
      assets: absolute paths of asset files, by the node that holds the path.
      checkpoint: the checkpoint with the content of some tables.
      evaluator: TensorFlow.
    """

    trace: Trace
    assets: Mapping[str, str]
    checkpoint: Checkpoint | None
    evaluator: Evaluator


def _tensor(sources: Sources, reference: str, table: str) -> Array:
    node, port = sources.trace.origin(reference)
    if node is not None and node.op == "RestoreV2":
        location = location_of(sources.trace, node, port)
        if location is None or sources.checkpoint is None:
            raise InvalidInput("there is no checkpoint with its content")
        return tensors.to_array(sources.checkpoint.value(location, table), table)
    return sources.trace.value(reference)


def _from_file(sources: Sources, initializer: NodeDef, table: NodeDef) -> Content:
    node, _ = sources.trace.origin(initializer.input[1])
    if node is None or node.name not in sources.assets:
        raise InvalidInput(
            "its text file is not an asset of a SavedModel: export the model as a SavedModel"
        )
    types = {key: table.attr[key].type for key in ("key_dtype", "value_dtype")}
    created = make("table", "HashTableV2", [], types)
    file = constant("file", strings(sources.assets[node.name]), ())
    filled = make("filled", "InitializeTableFromTextFileV2", [created.name, file.name], {})
    for key in _FILE_ATTRS & initializer.attr.keys():
        filled.attr[key].CopyFrom(initializer.attr[key])
    exported = make(
        "exported",
        "LookupTableExportV2",
        [created.name, f"^{filled.name}"],
        {"Tkeys": types["key_dtype"], "Tvalues": types["value_dtype"]},
    )
    nodes = [created, file, filled, exported]
    keys, values = computed(sources.evaluator, nodes, [exported.name, f"{exported.name}:1"])
    return Content(tensors.to_array(keys, table.name), tensors.to_array(values, table.name))


def _unique(keys: Array, values: Array) -> Content:
    if keys.ndim != 1 or keys.shape != values.shape:
        raise InvalidInput(
            f"its keys have the shape {keys.shape} and its values the shape {values.shape}"
        )
    order = np.argsort(keys, kind="stable")
    keys, values = keys[order], values[order]
    again = keys[1:] == keys[:-1]
    if np.any(again & (values[1:] != values[:-1])):
        raise InvalidInput(f"it has two values for the key {keys[1:][again][0]!r}")
    first = np.concatenate([np.ones(min(len(keys), 1), bool), ~again])
    return Content(keys[first], values[first])


def _content(sources: Sources, initializer: NodeDef, table: NodeDef) -> Content:
    if initializer.op in _FROM_FILE:
        found = _from_file(sources, initializer, table)
    else:
        keys, values = (_tensor(sources, initializer.input[i], table.name) for i in (1, 2))
        found = Content(keys, values)
    return _unique(found.keys, found.values)


def _inputs(initializer: NodeDef) -> int:
    return 2 if initializer.op in _FROM_FILE else 3


def content(sources: Sources, table: NodeDef) -> Content:
    """Returns the content of the table that the node `table` creates, sorted by key.

    Raises InvalidInput, with the table's name, if the content is unknown before the model runs.
    """
    trace = sources.trace
    restored: list[NodeDef] = []
    initial: list[NodeDef] = []
    for node in trace.nodes.values():
        if node.op in INITIALIZERS and len(node.input) >= _inputs(node):
            origin, _ = trace.origin(node.input[0])
            if origin is not None and origin.name == table.name:
                keys, _ = trace.origin(node.input[1])
                is_restored = keys is not None and keys.op == "RestoreV2"
                (restored if is_restored else initial).append(node)
    # A checkpoint is restored after the initializers have run.
    initializers = restored or initial
    try:
        if len(initializers) != 1:
            raise InvalidInput(f"{len(initializers) or 'no'} nodes of the graph initialize it")
        return _content(sources, initializers[0], table)
    except InvalidInput as error:
        raise InvalidInput(
            f"table {table.name!r} ({table.op}): its content is unknown before the model runs: {error}"
        ) from None
