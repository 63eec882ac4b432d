"""The tests that run by name: the table of CONTRIBUTING.md, from tests/suite.bzl and the tests that BUILD files declare."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from platforms import declared

BEGIN, END = "<!-- full: made by tests/platforms -->", "<!-- full: end -->"
_FOLDER = Path("tests")


def by_name(root: Path) -> dict[str, str]:
    """Returns what each test shows that runs by name, by its label, for a tree of this repository."""
    names: dict[str, Any] = {}
    exec((root / _FOLDER / "suite.bzl").read_text(encoding="utf-8"), names)
    return {**names["FULL"], **names["BY_NAME_ONLY"]}


def declared_by_name(root: Path) -> set[str]:
    """Returns the labels of the tests that BUILD files declare with the tag "manual"."""
    found: set[str] = set()
    for file in sorted((root / _FOLDER).rglob("BUILD")):
        package = file.parent.relative_to(root)
        if not _is_nested(root, file.parent):
            tests = declared.tests(root, str(package))
            found |= {label for label, is_manual in tests.items() if is_manual}
    return found


def _is_nested(root: Path, folder: Path) -> bool:
    """Whether a folder belongs to a workspace of its own."""
    parents = [folder, *folder.parents]
    inside = parents[: parents.index(root)]
    return any((one / name).exists() for one in inside for name in ("MODULE.bazel", "WORKSPACE"))


def markdown(tests: Mapping[str, str]) -> str:
    """Returns the table."""
    rows = [f"| `{label.removeprefix('//')}` | {shows} |" for label, shows in sorted(tests.items())]
    return "\n".join(["| Test | What it shows |", "|---|---|", *rows]) + "\n"
