"""Writes which modules of tfcarve each module and each test file needs.

    PYTHONPATH=tests python -m imports.update

in the repository's root, after a change of imports.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from imports.needed import Needed

# The generated files and their titles.
TABLES = {
    "tools/modules.bzl": "The modules that each module needs",
    "tests/imports/modules.bzl": "The modules that each test file needs",
}
_HEAD = '"""{}: made by `PYTHONPATH=tests python -m imports.update`."""\n\nMODULES = {{\n'


def _table(title: str, rows: Mapping[str, Sequence[str]]) -> str:
    lines = [f'    "{name}": [{", ".join(_quoted(row))}],\n' for name, row in rows.items()]
    return _HEAD.format(title) + "".join(lines) + "}\n"


def _quoted(names: Sequence[str]) -> list[str]:
    return [f'"{name}"' for name in names]


def tables(root: Path) -> dict[str, str]:
    """Returns the text of each generated file, by its path in the repository."""
    needed = Needed(root)
    rows = (needed.modules(), needed.all())
    return {name: _table(TABLES[name], row) for name, row in zip(TABLES, rows, strict=True)}


def main() -> None:
    """Writes the files."""
    root = Path.cwd()
    for name, text in tables(root).items():
        (root / name).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
