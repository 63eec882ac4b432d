"""The imports between the folders of tools/tfcarve are those that docs/design.md lists."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

import pytest

from docs.tree import ROOT, tracked

_FOLDER = re.compile(r"tools/tfcarve/(\w+)/.*\.py")
_ROW = re.compile(r"^    ([a-z_]+) +(-|all others|[a-z_]+(?:, [a-z_]+)*)$", re.MULTILINE)


def _imported(source: str) -> Iterator[str]:
    """Yields the full name of each module and symbol that a Python file imports."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            yield from (name.name for name in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield from (f"{node.module}.{name.name}" for name in node.names)


def _imported_folders(source: str, folders: set[str]) -> set[str]:
    """Returns the folders of tfcarve that a Python file imports from."""
    parts = (name.split(".") for name in _imported(source))
    return {words[1] for words in parts if words[0] == "tfcarve" and words[1:2]} & folders


def _files() -> dict[str, list[str]]:
    """Returns the sources of each folder of tfcarve that has Python files."""
    files: dict[str, list[str]] = {}
    for name in tracked():
        if match := _FOLDER.fullmatch(name):
            files.setdefault(match[1], []).append((ROOT / name).read_text(encoding="utf-8"))
    return files


def _listed() -> dict[str, set[str]]:
    """Returns the rows of design.md, from top to bottom."""
    rows: dict[str, str] = dict(_ROW.findall((ROOT / "docs/design.md").read_text(encoding="utf-8")))
    special = {"-": "", "all others": ", ".join(rows)}
    return {
        folder: set(special.get(row, row).split(", ")) - {"", folder}
        for folder, row in rows.items()
    }


def test_the_page_lists_the_imports() -> None:
    files = _files()
    imports = {
        folder: {found for source in sources for found in _imported_folders(source, set(files))}
        - {folder}
        for folder, sources in files.items()
    }
    assert _listed() == imports


def test_imports_lead_downwards() -> None:
    rows = list(_listed().items())
    for i, (folder, imported) in enumerate(rows):
        assert imported <= {name for name, _ in rows[i + 1 :]}, folder


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("from tfcarve.size.report import Report", {"size"}),
        ("from tfcarve.size import report", {"size"}),
        ("from tfcarve import files, size", {"size"}),
        ("import tfcarve.emit.units", {"emit"}),
        ("def f():\n    from tfcarve.emit import units", {"emit"}),
        ("from tfcarve.files import read", set()),
        ("import size", set()),
    ],
)
def test_imported_folders(source: str, expected: set[str]) -> None:
    assert _imported_folders(source, {"emit", "size"}) == expected
