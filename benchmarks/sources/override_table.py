"""What overrides save: values and the page."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from benchmarks import measure, page

# The names of the libraries with the graphs of tests/e2e/graphs/override_graphs.py and library_graphs.py.
TEST_GRAPHS = "test graphs"
TEXT_GRAPHS = "text graphs"
COMMAND = "PYTHONPATH=tools:tests:. python -m benchmarks.sources.overrides -o benchmarks/results/OVERRIDES.md"
# The first of these that a compiler or a linker prints, and what the page says.
_REASONS = (
    (r"fatal error: ([^:\n]+): No such file or directory", "no header `{}`"),
    (r"error: undefined symbol: ([^(\n]+)", "undefined symbol `{}`"),
    (r"error: duplicate symbol: ([^(\n]+)", "duplicate symbol `{}`"),
    (r"error: ([^\n]+)", "{}"),
)


@dataclass(frozen=True)
class Row:
    """An override in a library.

    Attributes:
      path: of the override, relative to TensorFlow's tree.
      library: the name of its model, or TEST_GRAPHS or TEXT_GRAPHS.
      seconds: of CPU time to compile the override.
      tensorflow_seconds: the same for TensorFlow's file; None if it does not compile.
      saved: bytes of the stripped library with TensorFlow's file, less those with the override; None if it does not link.
      problem: why TensorFlow's file does not compile or link; "" if it does.
    """

    path: str
    library: str
    seconds: float
    tensorflow_seconds: float | None
    saved: int | None
    problem: str


def reason(output: str) -> str:
    """Returns the first error in the output of a compiler or linker, as Markdown."""
    for pattern, text in _REASONS:
        if found := re.search(pattern, output):
            message = re.sub(r" \{aka [^}]*\}", "", found[1]).strip()
            return text.format(message.replace("|", r"\|"))
    return "no error message"


def _seconds(value: float | None) -> str:
    return "-" if value is None else f"{value:.1f}"


def table(rows: Sequence[Row]) -> str:
    """Returns the rows as Markdown."""
    lines = [
        (
            f"`{row.path}`",
            row.library,
            row.problem if row.saved is None else f"{row.saved:+,}",
            _seconds(row.seconds),
            _seconds(row.tensorflow_seconds),
        )
        for row in rows
    ]
    head = ("File", "Library", "Bytes saved", "Override, s", "TensorFlow's file, s")
    return measure.markdown(head, lines)


def text(machine: str, platform: str, rows: Sequence[Row], absent: Sequence[str]) -> str:
    """Returns the page.

    Args:
      machine: from measure.machine().
      platform: of the libraries.
      rows: the overrides that a library contains.
      absent: paths of the others.
    """
    parts = [
        page.head("Overrides", COMMAND, machine).rstrip(),
        f"Each override of [docs/overrides.md](../../docs/overrides.md) in a library for {platform} of the first model that needs it, or "
        f"of the graphs of tests/e2e/graphs/override_graphs.py (*{TEST_GRAPHS}*) or library_graphs.py (*{TEXT_GRAPHS}*), compared with "
        "TensorFlow's file of the same path. Both "
        "are compiled with the library's own command, and the library is linked again with each.",
        "*Bytes saved*: the stripped library with TensorFlow's file, less the same library with the override. Only one file "
        "is exchanged at a time: code that several overrides share, such as `tools/runtime/math`, stays in both libraries. "
        "Each library has the optional sources of the runtime that it refers to. Where TensorFlow's file does not compile or "
        "link in this library, for example because it requires that another override is exchanged too, the column has the reason "
        "instead.",
        "*s*: seconds of CPU time to compile the file, once. Messages are compiled without the precompiled header, which "
        "contains those of the override, and only their own source is exchanged, not the sources that include their header.",
        table(rows),
    ]
    if absent:
        parts += [
            "Not in these libraries:",
            "\n".join(f"- `{path}`" for path in absent),
        ]
    return "\n\n".join(parts) + "\n"
