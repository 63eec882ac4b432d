"""The tables in Markdown, from proofs.yaml and the tests that BUILD files declare. Pure."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import yaml

COLUMNS = {
    "compiled": "compiled",
    "linked": "linked",
    "registrations": "registrations proved",
    "model": "model run",
}
BEGIN, END = "<!-- platforms: made by tests/platforms -->", "<!-- platforms: end -->"
_KINDS = ({"test"}, {"test", "how"}, {"test", "only"}, {"not_yet"}, {"requires"})


@dataclass(frozen=True)
class Row:
    """A platform of the table.

    Attributes:
      title: the name for readers.
      names: its names in //rules/platforms.
      cells: column to the cell in proofs.yaml.
    """

    title: str
    names: tuple[str, ...]
    cells: Mapping[str, Mapping[str, str]]

    def tests(self) -> frozenset[str]:
        """Returns the labels of its tests."""
        return frozenset(cell["test"] for cell in self.cells.values() if "test" in cell)


def parse(text: str) -> tuple[Row, ...]:
    """Reads proofs.yaml; raises ValueError if a row or a cell is invalid."""
    rows = []
    for row in yaml.safe_load(text):
        if row.keys() != {"platform", "names", *COLUMNS}:
            raise ValueError(f"{row.get('platform')}: platform, names, {', '.join(COLUMNS)} only")
        for column in COLUMNS:
            if set(row[column]) not in _KINDS:
                raise ValueError(f"{row['platform']}: {column}: invalid cell: {row[column]}")
        cells = {column: row[column] for column in COLUMNS}
        rows.append(Row(row["platform"], tuple(row["names"]), cells))
    return tuple(rows)


def markdown(rows: Iterable[Row], declared: Mapping[str, bool]) -> str:
    """Returns the table.

    Args:
      rows: the platforms.
      declared: label of each declared test to whether it is manual.
    Raises ValueError if a cell has a test that is not declared.
    """
    lines = [" | ".join(("|", *COLUMNS.values())) + " |", "|---" * (len(COLUMNS) + 1) + "|"]
    for row in rows:
        cells = [_cell(row, column, declared) for column in COLUMNS]
        lines.append(f"| {row.title}: {_code(row.names)} | {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def status(rows: Iterable[Row], releases: Iterable[str], bazel: str) -> str:
    """Returns the short table of the README.

    Args:
      rows: the platforms.
      releases: the versions of TensorFlow that tfcarve builds.
      bazel: the version of Bazel that the project uses.
    """
    rows = list(rows)
    run = "; ".join(_with_means(row, "model") for row in rows if "test" in row.cells["model"])
    others = (row for row in rows if "test" not in row.cells["model"])
    built = "; ".join(_with_means(row, "compiled") for row in others)
    lines = ["| Status | |", "|---|---|"]
    lines.append(f"| TensorFlow | {', '.join(releases)}, built with Bazel {bazel} |")
    lines.append(f"| models run on | {run} |")
    lines += [f"| compiled, models not run | {built} |"] if built else []
    return "\n".join(lines) + "\n"


def _with_means(row: Row, column: str) -> str:
    cell = row.cells[column]
    parts = [cell[key] for key in ("only", "how", "not_yet", "requires") if key in cell]
    return row.title + (f" ({', '.join(parts)})" if parts else "")


def _code(names: Iterable[str]) -> str:
    return ", ".join(f"`{name}`" for name in names)


def _cell(row: Row, column: str, declared: Mapping[str, bool]) -> str:
    cell = row.cells[column]
    if "requires" in cell:
        return f"not tested: requires {cell['requires']}"
    if "not_yet" in cell:
        return f"not yet: {cell['not_yet']}"
    test = cell["test"]
    if test not in declared:
        raise ValueError(f"{row.title}: {column}: no BUILD file declares {test}")
    parts = [f"only {cell['only']}" if "only" in cell else "yes"]
    parts += [cell["how"]] if "how" in cell else []
    parts += ["by name"] if declared[test] else []
    return f"{', '.join(parts)}: `{test.removeprefix('//tests/')}`"


def placed(page: str, table: str, marks: tuple[str, str] = (BEGIN, END)) -> str:
    """Returns a page with a table between its marks; raises ValueError if a mark is missing."""
    before, begin, rest = page.partition(marks[0])
    _, end, after = rest.partition(marks[1])
    if not begin or not end:
        raise ValueError(f"the page lacks the line {marks[0]} or {marks[1]}")
    return f"{before}{begin}\n\n{table}\n{end}{after}"
