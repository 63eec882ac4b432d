"""The README's table of figures, from the committed pages of benchmarks."""

from __future__ import annotations

import re
from collections.abc import Mapping

from docs.markdown import table

BEGIN, END = "<!-- figures: made by tests/docs -->", "<!-- figures: end -->"
_FOLDER = "benchmarks/results"
_SIZES, _HISTORY, _SPEED = (f"{_FOLDER}/{name}.md" for name in ("SIZES", "HISTORY", "SPEED"))
PAGES = (_SIZES, _HISTORY, _SPEED)
_MODEL, _PLATFORM = "inception_v3", "linux_x86_64"
# The columns of SPEED.md that the table shows.
_COLUMNS = ("tfcarve", "tfcarve, prepared", "TensorFlow, oneDNN", "TensorFlow Lite")
_TIMES = {
    "one inference, CPU time of one thread": "CPU time, one thread",
    "from loading to the first result": "From loading to the first result, one thread",
}
_MEMORY = "Anonymous memory, one thread"


def _cells(line: str) -> list[str]:
    return [cell.strip() for cell in line.strip("|").split("|")]


def _section(page: str, heading: str) -> str:
    """Returns the text from a heading to the next one; raises ValueError if a page does not have it."""
    found = re.search(rf"^#+ {re.escape(heading)}$(.*?)(?=^#|\Z)", page, re.MULTILINE | re.DOTALL)
    if not found:
        raise ValueError(f"a benchmark page lacks the heading {heading!r}")
    return found[1]


def _row(text: str, *start: str) -> list[str]:
    """Returns the first row of a table that starts with some cells; raises ValueError if there is none."""
    rows = (_cells(line) for line in text.splitlines() if line.startswith("|"))
    for row in rows:
        if row[: len(start)] == list(start):
            return row
    raise ValueError(f"a benchmark page lacks the row {' | '.join(start)}")


def _megabytes(count: str) -> str:
    return f"{int(count.replace(',', '')) / 1e6:.1f} MB"


def _speed_row(title: str, speed: str, heading: str, unit: str) -> list[str]:
    section = _section(speed, heading)
    header, row = _row(section, "Model"), _row(section, _MODEL)
    # Without the figure in brackets, which is a median or the state after loading.
    values = [row[header.index(column)].partition(" (")[0] for column in _COLUMNS]
    own, prepared, *others = (value if unit in value else f"{value} {unit}" for value in values)
    return [title, f"{own}; prepared {prepared}", *others, _link(_SPEED)]


def _link(*pages: str) -> str:
    return ", ".join(f"[{page.removeprefix(f'{_FOLDER}/')}]({page})" for page in pages)


def markdown(pages: Mapping[str, str]) -> str:
    """Returns the table.

    Args:
        pages: the text of each of PAGES, by its path in the repository.

    Raises:
        ValueError: a page lacks a figure.
    """
    carved = _row(_section(pages[_SIZES], "Sizes of libraries"), _MODEL, _PLATFORM)[2]
    whole = _row(_section(pages[_HISTORY], "All portable kernels"), _PLATFORM)[1].split()[0]
    rows = [
        [
            "size of the library",
            _megabytes(carved),
            f"{_megabytes(whole)} with all kernels for mobile apps",
            "-",
            _link(_SIZES, _HISTORY),
        ],
        *(_speed_row(title, pages[_SPEED], heading, "ms") for title, heading in _TIMES.items()),
        _speed_row("anonymous memory", pages[_SPEED], _MEMORY, "MB"),
    ]
    columns = ["Inception v3, x86-64", "tfcarve", "TensorFlow", "TensorFlow Lite", "Measured in"]
    return table(columns, rows)


def placed(readme: str, pages: Mapping[str, str]) -> str:
    """Returns the README with the table between its marks; raises ValueError if a mark or a figure is missing."""
    found = re.fullmatch(
        rf"(.*{re.escape(BEGIN)}\n).*(\n{re.escape(END)}.*)", readme, flags=re.DOTALL
    )
    if not found:
        raise ValueError(f"README.md lacks the line {BEGIN} or {END}")
    return f"{found[1]}\n{markdown(pages)}{found[2]}"
