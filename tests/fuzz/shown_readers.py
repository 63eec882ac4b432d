"""Readers that show a model: its summary and command lines, drawings, event files, and benchmarks of it."""

from __future__ import annotations

from pathlib import PurePath

import protos

from fuzz import document_readers
from fuzz.reader import Reader
from tfcarve import json_codec
from tfcarve.benchmark import inspection, report_json
from tfcarve.commands.graph import measured_nodes
from tfcarve.drawing import colours, dot, event_file, figures, model_drawing, page, without_values
from tfcarve.errors import InvalidInput
from tfcarve.models import graph_def, wire
from tfcarve.models.node_use import Model
from tfcarve.models.wire import Budget
from tfcarve.releases import known

_NONE = figures.Figures(None, None, {})


def _model(data: bytes) -> Model:
    read = graph_def.graph(data, 0, len(data), "m", Budget(len(data)))
    return Model("m.pb", lambda: "", "graphdef", read.nodes, read.functions)


def _inspected(data: bytes) -> object:
    try:
        found = inspection.inspect(_model(data), PurePath("m.pb"), known.release(), None)
        return len(json_codec.encode(found)), sum(map(len, inspection.lines(found)))
    except wire.WireError as error:
        raise InvalidInput(str(error)) from None


def _drawn(data: bytes) -> object:
    try:
        found = model_drawing.drawing(_model(data).nodes)
    except wire.WireError as error:
        raise InvalidInput(str(error)) from None
    fills = colours.fills("weights", found, _NONE)
    assert fills is not None
    text = dot.dot(found, _NONE, fills)
    return text, page.page("m.pb", found, _NONE, "<svg/>", "op")


def _event(data: bytes) -> object:
    graph = without_values.without_values(data, 0, len(data))
    return sum(map(len, event_file.event_file(graph)))


def _timed(data: bytes) -> object:
    document = report_json.parse(data, "t.json")
    drawing = model_drawing.drawing(document_readers.USES)
    measured = measured_nodes(document, "t.json")
    return figures.figures(drawing, document_readers.REPORT, measured)


_TENSOR = protos.data(
    8, protos.number(1, 1) + protos.data(2, protos.shape(2)) + protos.data(4, b"12345678")
)
_GRAPH = protos.graph(
    protos.node("x", "Placeholder", {"dtype": protos.type_value("float32"), "shape": protos.data(7, protos.shape(-1, 4))}),
    protos.node("a/w", "Const", {"value": _TENSOR}, "/cpu:0"),
    protos.node("a/b/y", "MatMul", {"T": protos.type_value("float32")}, "", ["x", "a/w", "^gone"]),
    functions=[protos.function("F", protos.node("c", "Const", {"value": _TENSOR}))],
)  # fmt: skip

READERS: dict[str, Reader] = {
    "inspected": Reader([graph_def, inspection], _inspected, InvalidInput, [_GRAPH], 8_000_000),
    "drawn": Reader([graph_def, model_drawing, dot, colours, page], _drawn, InvalidInput, [_GRAPH], 16_000_000),
    "event_file": Reader([without_values, event_file], _event, wire.WireError, [_GRAPH]),
    "benchmark_json": Reader(
        [report_json, figures], _timed, InvalidInput, [document_readers.benchmark_json()], 16_000_000
    ),
}  # fmt: skip
