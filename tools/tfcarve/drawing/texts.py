"""Short texts for labels. Names from models are untrusted: they are made printable and cut. Pure."""

from collections.abc import Sequence

from tfcarve.drawing.figures import Figures
from tfcarve.drawing.model_drawing import Box
from tfcarve.drawing.names import short
from tfcarve.printable import printable

_MAX_LABEL = 32
_UNITS = ("B", "kB", "MB", "GB", "TB", "PB", "EB")


def cut(text: str, limit: int = _MAX_LABEL) -> str:
    """Returns printable text of at most `limit` characters."""
    found = printable(text[: 2 * limit])
    return found if len(found) <= limit and len(text) <= limit else found[: limit - 1] + "…"


def bytes_text(size: float) -> str:
    """Returns bytes with three digits, e.g. 1.23 MB."""
    for unit in _UNITS:
        if size < 999.5 or unit == _UNITS[-1]:
            break
        size /= 1000
    return f"{size:.3g} {unit}"


def ms_text(ms: float) -> str:
    """Returns milliseconds with three digits."""
    return f"{ms:.3g} ms"


def dims_text(dtype: str, shape: Sequence[int] | None) -> str:
    """Returns a type and shape, e.g. float32[?x224x224x3]."""
    if shape is None:
        return dtype
    return f"{dtype}[{'x'.join('?' if size < 0 else str(size) for size in shape[:8])}]"


def count_text(count: int, noun: str) -> str:
    """Returns a number with its noun, in the plural if it is not 1."""
    return f"{count:,} {noun}{'' if count == 1 else 's'}"


def label(box: Box, figures: Figures) -> list[str]:
    """Returns the lines of a box's label."""
    lines = [cut(short(box.name) or box.name)]
    op = cut(box.main_op)
    if box.name.endswith("/"):
        lines.append(f"{op} · {count_text(box.nodes, 'node')}")
    else:
        lines.append(f"{op} {dims_text(box.dtype, box.shape)}" if box.shape is not None else op)
    shown = [] if figures.ms is None else [ms_text(figures.ms[box.name])]
    if figures.library is not None and figures.library[box.name]:
        shown.append(f"library {bytes_text(figures.library[box.name])}")
    return [*lines, " · ".join(shown)] if shown else lines


def title(box: Box) -> str:
    """Returns the tooltip of a box or frame."""
    if not box.name.endswith("/"):
        return f"{cut(box.name, 400)} ({cut(box.main_op)})"
    return f"{cut(box.name, 400)} ({count_text(box.nodes, 'node')})"
