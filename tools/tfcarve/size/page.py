"""The report as one HTML file that needs nothing else."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from tfcarve.emit import templates
from tfcarve.size.compare import changes
from tfcarve.size.origin import PARTS
from tfcarve.size.owners import EVERY, SHARED, Owners
from tfcarve.size.relink import MarginalSize
from tfcarve.size.report import MEASURES, Report
from tfcarve.size.treemap import HEIGHT, WIDTH, Box, boxes

# Colours of the parts, told apart with the usual colour blindnesses too (Okabe and Ito's palette).
_COLOURS = ("#0072b2", "#56b4e9", "#009e73", "#e69f00", "#cc79a7", "#d55e00", "#f0e442", "#999999")
_COLOUR = dict(zip(PARTS, _COLOURS, strict=True))
_MOST = 400


@dataclass(frozen=True, slots=True)
class Table:
    """A table of the page: rows of (name, bytes, remark), and what it tells."""

    id: str
    title: str
    about: str
    rows: tuple[tuple[str, int, str], ...]
    more: int


def page(report: Report, since: Report | None, marginal_sizes: Sequence[MarginalSize]) -> bytes:
    """Returns the page.

    Args:
      report: what it shows.
      since: an earlier report, for what changed; None without.
      marginal_sizes: what was found by linking again.
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
    """What of the name fits into the box, at some 6.2 units a letter; nothing where little would."""
    text = re.split(r"/|: ", box.name)[-1] or box.part
    fits = int((box.width - 6) / 6.2)
    if box.height < 14 or fits < 4:
        return ""
    return text if len(text) <= fits else text[: fits - 1] + "…"


def _tables(report: Report) -> list[Table]:
    owners = Owners(report)
    kernels = {(k.file, k.clazz): k for k in report.kernels}
    by_class = report.by(lambda e: f"{e.clazz}\0{e.file}" if e.clazz else "")
    by_class.pop("", None)
    classes = []
    for key, size in by_class.items():
        clazz, _, file = key.partition("\0")
        kernel = kernels[file, clazz]
        classes.append((clazz, size, f"{', '.join(kernel.ops)} · {', '.join(kernel.models)}"))
    symbols = sorted((e for e in report.entries if e.symbol), key=lambda e: (-e.bytes, e.symbol))
    files = {e.file: e.part for e in report.entries}
    return [
        _table(
            "models",
            "Models",
            "What only one model needs, by attribution. What several need stays without it.",
            _told(report.by(owners.model)),
        ),
        _table("ops", "Ops", "What only one op needs.", _told(report.by(owners.op))),
        _table("classes", "Kernel classes", "The ops and the models that each is for.", classes),
        _table(
            "files",
            "Source files",
            "The part that each is of.",
            [(f, s, files[f]) for f, s in report.by(lambda e: e.file).items()],
        ),
        _table(
            "symbols",
            "Symbols",
            "The largest, and their source.",
            [(e.symbol, e.bytes, e.file) for e in symbols],
        ),
    ]


def _told(sizes: dict[str, int]) -> list[tuple[str, int, str]]:
    remarks = {SHARED: "needed by several", EVERY: "core, helpers, third party, toolchain"}
    return [(name, size, remarks.get(name, "")) for name, size in sizes.items()]


def _table(id_: str, title: str, about: str, rows: Sequence[tuple[str, int, str]]) -> Table:
    return Table(id_, title, about, tuple(rows[:_MOST]), max(len(rows) - _MOST, 0))
