"""The facts about tests in tests/suite.bzl, and the table of CONTRIBUTING.md with those that run by name."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from platforms import declared

BEGIN, END = "<!-- full: made by tests/platforms -->", "<!-- full: end -->"
_FOLDER = Path("tests")


def by_name(root: Path) -> dict[str, str]:
    """Returns what each test shows that runs by name, by its label, for a tree of this repository."""
    names = _names(root)
    return {**names["FULL"], **names["BY_NAME_ONLY"]}


def why_long(root: Path) -> dict[str, str]:
    """Returns why tests of `//...` take long, by label, for a tree of this repository."""
    found: dict[str, str] = _names(root)["LONG"]
    return found


def _names(root: Path) -> dict[str, Any]:
    names: dict[str, Any] = {}
    exec((root / _FOLDER / "suite.bzl").read_text(encoding="utf-8"), names)
    return names


def declared_tests(root: Path) -> dict[str, bool]:
    """Returns whether a test runs only by name, that is, has the tag "manual", by its label in BUILD files."""
    found: dict[str, bool] = {}
    for file in sorted((root / _FOLDER).rglob("BUILD")):
        package = file.parent.relative_to(root)
        if not _is_nested(root, file.parent):
            found |= declared.tests(root, str(package))
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
