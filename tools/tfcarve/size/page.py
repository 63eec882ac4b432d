"""The report as a self-contained HTML page."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from tfcarve.emit import templates
from tfcarve.size.compare import changes
from tfcarve.size.marginal import MarginalSize
from tfcarve.size.origin import PARTS
from tfcarve.size.owners import EVERY, SHARED, Owners
from tfcarve.size.report import MEASURES, Report
from tfcarve.size.treemap import HEIGHT, WIDTH, Box, boxes

# Colours of the parts: Okabe and Ito's palette, for readers with colour vision deficiencies too.
_COLOURS = ("#0072b2", "#56b4e9", "#009e73", "#e69f00", "#cc79a7", "#d55e00", "#f0e442", "#999999")
_COLOUR: dict[str, str] = dict(zip(PARTS, _COLOURS, strict=True))
_MAX_ROWS = 400


@dataclass(frozen=True, slots=True)
class Table:
    """A table of the page: rows of (name, bytes, remark), and the number of further rows."""

    id: str
    title: str
    about: str
    rows: tuple[tuple[str, int, str], ...]
    more: int


def page(report: Report, since: Report | None, marginal_sizes: Sequence[MarginalSize]) -> bytes:
    """Returns the page.

    Args:
      report: the report.
      since: an earlier report to compare with, or None.
      marginal_sizes: marginal sizes to show.
    """
    return templates.fill(
        "report.html.j2",
        report=report,
        measures=[
            (m, report.sizes[m], report.sizes[m] - since.sizes[m] if since else None)
            for m in MEASURES
        ],
        share=report.attributed / max(report.sizes["stripped"], 1),
        boxes=[(box, _COLOUR[box.part], _label(box)) for box in boxes(report)],
        width=WIDTH,
        height=HEIGHT,
        parts=[(p, s, _COLOUR[p]) for p, s in report.by(lambda e: e.part).items()],
        tables=_tables(report),
        changes=changes(since, report) if since else [],
        since=since,
        marginal_sizes=marginal_sizes,
    )


def _label(box: Box) -> str:
    """The part of the name that fits into the box, at about 6.2 units per letter; "" if that is too little."""
    text = re.split(r"/|: ", box.name)[-1] or box.part
    fits = int((box.width - 6) / 6.2)
    if box.height < 14 or fits < 4:
        return ""
    return text if len(text) <= fits else text[: fits - 1] + "…"


def _tables(report: Report) -> list[Table]:
    owners = Owners(report)
    kernels = {(k.file, k.clazz): k for k in report.kernels}
    classes = []
    for (clazz, file), size in report.by(lambda e: (e.clazz, e.file)).items():
        if clazz:
            kernel = kernels[file, clazz]
            classes.append((clazz, size, f"{', '.join(kernel.ops)} · {', '.join(kernel.models)}"))
    symbols = sorted((e for e in report.entries if e.symbol), key=lambda e: (-e.bytes, e.symbol))
    files = {e.file: e.part for e in report.entries}
    return [
        _table(
            "models",
            "Models",
            "Bytes that only one model needs. What several models need stays if one is removed.",
            _remarked(report.by(owners.model)),
        ),
        _table("ops", "Ops", "Bytes that only one op needs.", _remarked(report.by(owners.op))),
        _table(
            "classes",
            "Kernel classes",
            "With the ops that they implement and the models that need them.",
            classes,
        ),
        _table(
            "files",
            "Source files",
            "With their part of the library.",
            [(f, s, files[f]) for f, s in report.by(lambda e: e.file).items()],
        ),
        _table(
            "symbols",
            "Symbols",
            "The largest symbols, with their source.",
            [(e.symbol, e.bytes, e.file) for e in symbols],
        ),
    ]


def _remarked(sizes: dict[str, int]) -> list[tuple[str, int, str]]:
    remarks = {SHARED: "needed by several", EVERY: "core, helpers, third party, toolchain"}
    return [(name, size, remarks.get(name, "")) for name, size in sizes.items()]


def _table(id_: str, title: str, about: str, rows: Sequence[tuple[str, int, str]]) -> Table:
    return Table(id_, title, about, tuple(rows[:_MAX_ROWS]), max(len(rows) - _MAX_ROWS, 0))
