"""A drawing as one self-contained HTML file: pan and zoom, a search, and the details of each box. Pure."""

import json
from collections.abc import Mapping
from typing import Any

from tfcarve.drawing import colours, texts
from tfcarve.drawing.colours import MEASURES, Measure
from tfcarve.drawing.dot import box_ids
from tfcarve.drawing.figures import Figures
from tfcarve.drawing.model_drawing import Box, Drawing
from tfcarve.drawing.op_classes import CLASSES, op_class
from tfcarve.emit import templates

_MAX_OPS = 12
_MAX_NAME = 1_000
_TITLES = {
    "op": "op class",
    "weights": "bytes of constants and variables",
    "library": "bytes of the library",
    "time": "time",
}


def _rows(box: Box, figures: Figures) -> list[tuple[str, str]]:
    """Returns the details of a box or frame: titles and values."""
    rows = []
    if box.name.endswith("/"):
        rows.append(("nodes", f"{box.nodes:,}"))
        listed = list(box.ops.items())
        rows.append(
            ("ops", ", ".join(f"{texts.cut(op)} {count:,}" for op, count in listed[:_MAX_OPS]))
        )
        if len(listed) > _MAX_OPS:
            rows.append(("", f"and {len(listed) - _MAX_OPS} other ops"))
    else:
        rows.append(("op", texts.cut(box.main_op, 200)))
        shown = texts.dims_text(box.dtype, box.shape)
        rows += [("type and shape", shown)] if shown else []
        for number, output in enumerate(figures.outputs.get(box.name, ())):
            rows.append((f"output {number}", texts.dims_text(output.dtype, output.shape)))
        rows += [("device", texts.cut(box.device, 200))] if box.device else []
    if box.values.elements:
        rows.append(("values", f"{box.values.elements:,}"))
        rows.append(("bytes of values", f"{box.values.bytes:,}"))
    if figures.library is not None:
        rows.append(("bytes of the library", f"{figures.library[box.name]:,}"))
    if figures.ms is not None:
        rows.append(("time", f"{figures.ms[box.name]:,.4g} ms"))
    return rows


def _neighbours(drawing: Drawing, ids: Mapping[str, str]) -> dict[str, tuple[list[str], list[str]]]:
    """Returns for each box the identifiers of the boxes that it reads from, and of the boxes that read from it."""
    found: dict[str, tuple[list[str], list[str]]] = {name: ([], []) for name in drawing.boxes}
    for edge in drawing.edges:
        found[edge.target][0].append(ids[edge.source])
        found[edge.source][1].append(ids[edge.target])
    return found


def _data(drawing: Drawing, figures: Figures, fills: Mapping[Measure, Mapping[str, str]]) -> str:
    """Returns the data for the page's script, as JSON that cannot end the script."""
    ids = box_ids(drawing)
    neighbours = _neighbours(drawing, ids)
    boxes: dict[str, Any] = {}
    for name, box in (*drawing.frames.items(), *drawing.boxes.items()):
        inputs, outputs = neighbours.get(name, ([], []))
        boxes[ids[name]] = {
            "name": texts.cut(name, _MAX_NAME),
            "rows": _rows(box, figures),
            "inputs": inputs,
            "outputs": outputs,
            "fills": {measure: found[name] for measure, found in fills.items() if name in found},
        }
    return json.dumps(boxes, separators=(",", ":")).replace("<", "\\u003c")


def _legend(drawing: Drawing) -> list[tuple[str, str, int]]:
    """Returns the name and colour of each class in the drawing, and its number of boxes."""
    found = [op_class(box.main_op) for box in drawing.boxes.values()]
    return [(c.name, c.colour, found.count(c)) for c in CLASSES if c in found]


def _scale(measure: Measure, drawing: Drawing, figures: Figures) -> str:
    """Returns the largest figure of a box, as text."""
    found = colours.values(measure, drawing, figures) or {}
    largest = max((found.get(name, 0) for name in drawing.boxes), default=0)
    return texts.ms_text(largest) if measure == "time" else texts.bytes_text(largest)


def page(model: str, drawing: Drawing, figures: Figures, svg: str, measure: Measure) -> bytes:
    """Returns the page.

    Args:
      model: the model's path.
      drawing: the drawing of the model.
      figures: the figures of the boxes.
      svg: the drawing as SVG.
      measure: the measure by which the boxes are coloured at first.
    """
    found = {name: colours.fills(name, drawing, figures) for name in MEASURES}
    fills = {name: colour for name, colour in found.items() if colour is not None}
    measures = [
        (name, _TITLES[name], _scale(name, drawing, figures)) for name in MEASURES if name in fills
    ]
    return templates.fill(
        "graph.html.j2",
        model=texts.cut(model, _MAX_NAME),
        scope=texts.cut(drawing.scope, _MAX_NAME),
        depth=drawing.depth,
        nodes=sum(box.nodes for box in drawing.boxes.values()),
        boxes=len(drawing.boxes),
        measures=measures,
        measure=measure,
        legend=_legend(drawing),
        heat=[colours.heat(share) for share in (0.0, 0.25, 0.5, 0.75, 1.0)],
        svg=svg,
        data=_data(drawing, figures, fills),
    )
