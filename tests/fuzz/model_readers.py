"""Readers of what a model consists of besides its graph: objects, states of checkpoints, and files of other formats."""

from __future__ import annotations

import gzip
from pathlib import Path

import protos
import saved_objects
import sorted_tables

from fuzz.reader import Reader
from tfcarve.errors import InvalidInput
from tfcarve.models import (
    checkpoint_files,
    checkpoint_index,
    object_graph,
    other_formats,
    saved_functions,
    sorted_table,
    structured_value,
    wire,
)
from tfcarve.models.object_graph import ObjectGraph
from tfcarve.models.wire import Budget


def _functions(data: bytes) -> object:
    graph = ObjectGraph(data, (0, len(data)), Budget(len(data)))
    try:
        found = saved_functions.find(graph, "encoder.encode@0")
    except saved_functions.FunctionError:
        found = None
    for each in graph.objects:
        if each.kind == "variable":
            graph.variable(each)
    return found, saved_functions.listed(saved_functions.functions(graph))


def _checkpoint_index(data: bytes) -> object:
    found = []
    for is_v2 in (True, False):
        try:
            found.append(checkpoint_index.types(data, is_v2))
        except wire.WireError as error:
            failed = error
    if not found:
        raise failed
    return found


def _other_format(data: bytes) -> object:
    head, tail = data[: other_formats.HEAD], data[-other_formats.TAIL :]
    return [
        other_formats.problem(Path("m" + end), head, tail) for end in (".pb", ".keras", ".index")
    ]


_STATE = b"""\
model_checkpoint_path: "model.ckpt-20"  # the latest
all_model_checkpoint_paths: "model.ckpt-10"
all_model_checkpoint_timestamps: 1.5e9
"""
_TYPES = {"scope/a/kernel": 1, "scope/a/kernel/ExponentialMovingAverage": 1, "w": 9}
_ONNX = protos.number(1, 8) + protos.data(2, "pytorch") + protos.data(7, protos.data(1, b"node"))
_FILES = (b"version https://git-lfs.github.com/spec/v1\n", gzip.compress(_ONNX), _ONNX, b'{"format": "graph-model", "modelTopology": 1}')  # fmt: skip

READERS: dict[str, Reader] = {
    "saved_functions": Reader(
        [object_graph, structured_value, saved_functions], _functions, wire.WireError, [saved_objects.MODEL]
    ),
    "checkpoint_state": Reader([checkpoint_files], checkpoint_files.latest, InvalidInput, [_STATE]),
    "checkpoint_index": Reader(
        [checkpoint_index, sorted_table], _checkpoint_index, wire.WireError, [sorted_tables.index_v2(_TYPES), sorted_tables.file_v1(_TYPES)]
    ),
    "other_formats": Reader([other_formats], _other_format, InvalidInput, list(_FILES)),
}  # fmt: skip
