"""The fill colours of boxes: by op class, or by a figure. Pure."""

import math
from collections.abc import Mapping
from typing import Literal, get_args

from tfcarve.drawing.figures import Figures
from tfcarve.drawing.model_drawing import Drawing
from tfcarve.drawing.op_classes import op_class

# The measures that boxes can be coloured by: the class of their main op, the bytes of their constants and variables, the bytes of the
# library that only their ops need, or their time.
Measure = Literal["op", "weights", "library", "time"]
MEASURES: tuple[Measure, ...] = get_args(Measure)

# From no share to the largest: readable below black text.
_COLD, _WARM, _HOT = (0xFB, 0xFB, 0xF8), (0xFD, 0xD4, 0x9E), (0xEF, 0x65, 0x48)


def heat(share: float) -> str:
    """Returns the colour for the square root of a share of the largest figure, from 0 to 1.

    In most models a few nodes have most of the time and bytes. Without the root all other nodes would have almost the same colour.
    """
    low, high, place = (_COLD, _WARM, 2 * share) if share < 0.5 else (_WARM, _HOT, 2 * share - 1)
    mixed = (round(a + (b - a) * place) for a, b in zip(low, high, strict=True))
    return "#" + "".join(f"{part:02x}" for part in mixed)


def values(measure: Measure, drawing: Drawing, figures: Figures) -> Mapping[str, float] | None:
    """Returns the figure of each box and frame; None for `op`, or if there is no report with it."""
    if measure == "weights":
        every = [*drawing.boxes.values(), *drawing.frames.values()]
        return {box.name: box.values.bytes for box in every}
    return {"op": None, "library": figures.library, "time": figures.ms}[measure]


def fills(measure: Measure, drawing: Drawing, figures: Figures) -> dict[str, str] | None:
    """Returns the colour of each box; None if there is no report with the figure."""
    if measure == "op":
        return {name: op_class(box.main_op).colour for name, box in drawing.boxes.items()}
    found = values(measure, drawing, figures)
    if found is None:
        return None
    largest = max((found[name] for name in drawing.boxes), default=0) or 1
    return {name: heat(math.sqrt(max(found[name], 0) / largest)) for name in drawing.boxes}
