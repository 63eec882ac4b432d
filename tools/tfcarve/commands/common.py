"""Input and output that subcommands share: TensorFlow's sources, selections, output files and tables."""

import json
import os
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tfcarve import files, pinned
from tfcarve.printable import printable
from tfcarve.releases import known
from tfcarve.releases.release import Release
from tfcarve.selection.selection import Selection
from tfcarve.selection.selection import parse as parse_selection


def warn(text: str) -> None:
    """Prints a warning on standard error."""
    print(printable(f"tfcarve: warning: {text}"), file=sys.stderr)


def notes(texts: Iterable[str]) -> None:
    """Prints a note for the user, which is no warning, on standard error."""
    for text in texts:
        print(printable(f"tfcarve: note: {text}"), file=sys.stderr)


@dataclass(frozen=True)
class Sources:
    """TensorFlow's sources.

    Attributes:
      named: the source tree that an option or $TFCARVE_TENSORFLOW names; None for the pinned version.
      release: the tree's release, or the default release if tfcarve does not build the tree's release.
    """

    named: Path | None
    release: Release

    def tree(self) -> Path:
        """Returns the source tree; gets the pinned version if it is not cached."""
        return self.named or pinned.tree(self.release)


def sources(path: Path | None) -> Sources:
    """Returns TensorFlow's sources: the tree `path`, $TFCARVE_TENSORFLOW, or the pinned version."""
    from_environment = os.environ.get("TFCARVE_TENSORFLOW")
    named = path or (Path(from_environment) if from_environment else None)
    return Sources(named, known.for_tree(named) if named else known.release())


def load_selection(path: Path) -> Selection:
    """Reads selection.json."""
    return parse_selection(files.read_bytes(path), str(path))


def output(data: bytes, path: Path | None) -> None:
    """Writes `data` to `path`, or to standard output if `path` is None."""
    if path is None:
        sys.stdout.buffer.write(data)
        sys.stdout.buffer.flush()
    else:
        files.write_if_changed(path, data)


def table(rows: Iterable[Mapping[str, Any]], columns: Sequence[str], as_json: bool) -> None:
    """Prints rows as JSON or as aligned columns."""
    listed = list(rows)
    if as_json:
        print(json.dumps(listed, indent=1))
        return
    cells = [[printable(str(row.get(c, ""))) for c in columns] for row in listed]
    widths = [max([len(c), *(len(line[i]) for line in cells)]) for i, c in enumerate(columns)]
    for line in [list(columns), *cells]:
        print(
            "  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip()
        )
