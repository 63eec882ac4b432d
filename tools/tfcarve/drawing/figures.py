"""Figures about the boxes of a drawing: the time of measured nodes, and bytes of the library. Pure."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from tfcarve.drawing.model_drawing import Box, Drawing
from tfcarve.drawing.names import scopes
from tfcarve.size.owners import op_bytes
from tfcarve.size.report import Report


@dataclass(frozen=True, slots=True)
class Output:
    """An output of a node when it was measured: its type and shape."""

    dtype: str
    shape: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class MeasuredNode:
    """A node in one run: the milliseconds of its kernel, and its outputs."""

    name: str
    ms: float
    outputs: tuple[Output, ...]


@dataclass(frozen=True, slots=True)
class Figures:
    """Figures of boxes and frames, by name.

    Attributes:
      library: bytes of the library that only the ops in the box need; None without a size report.
      ms: time of one run, in milliseconds; None without a benchmark.
      outputs: the outputs of nodes that were measured.
    """

    library: Mapping[str, int] | None
    ms: Mapping[str, float] | None
    outputs: Mapping[str, tuple[Output, ...]]


def _library(boxes: Iterable[Box], sizes: Report) -> dict[str, int]:
    of_ops = op_bytes(sizes)
    return {box.name: sum(of_ops.get(op, 0) for op in box.ops) for box in boxes}


def _box_of(node: str, drawing: Drawing) -> str | None:
    """Returns the box that a measured node is drawn in; None if it is not in the drawing.

    The session adds nodes: in the scopes of the model's nodes, or with a node's name as scope.
    """
    if node in drawing.boxes:
        return node
    around = list(scopes(f"{node}/"))
    places = [*around, *(scope.removesuffix("/") for scope in reversed(around))]
    return next((place for place in places if place in drawing.boxes), None)


def _times(drawing: Drawing, measured: Iterable[MeasuredNode]) -> dict[str, float]:
    found = dict.fromkeys([*drawing.boxes, *drawing.frames], 0.0)
    for node in measured:
        box = _box_of(node.name, drawing)
        if box is None:
            continue
        for name in (box, *scopes(box)):
            if name in found:
                found[name] += node.ms
    return found


def figures(
    drawing: Drawing, sizes: Report | None, measured: Sequence[MeasuredNode] | None
) -> Figures:
    """Returns the figures of a drawing.

    Args:
      drawing: the drawing.
      sizes: a size report of a library for the model, or None.
      measured: the nodes of a benchmark of the model, or None.
    """
    every = [*drawing.boxes.values(), *drawing.frames.values()]
    library = None if sizes is None else _library(every, sizes)
    if measured is None:
        return Figures(library, None, {})
    outputs = {node.name: node.outputs for node in measured if node.name in drawing.boxes}
    return Figures(library, _times(drawing, measured), outputs)
