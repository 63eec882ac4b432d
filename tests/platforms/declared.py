"""The tests that BUILD files of this repository declare, and whether they have the tag "manual".

Evaluates the files as Python, with functions that record the rules. The files are trusted: they are the repository's own.
"""

import ast
import builtins
from collections.abc import Callable
from pathlib import Path
from typing import Any


def tests(root: Path, package: str) -> dict[str, bool]:
    """Returns the targets of a package whose names start with test_.

    Args:
      root: the root of the repository, or of a tree with the package's BUILD file and sources.
      package: like "tests/e2e".
    Returns: label to whether it has the tag "manual".
    Raises FileNotFoundError if the package does not exist.
    """
    folder = root / package
    text = (folder / "BUILD").read_text(encoding="utf-8")
    declared: dict[str, bool] = {}

    def rule(*_: object, name: str = "", tags: tuple[str, ...] = (), **__: object) -> None:
        if name.startswith("test_"):
            declared[f"//{package}:{name}"] = "manual" in tags

    exec(compile(text, f"{package}/BUILD", "exec"), _names(text, folder, rule))
    return declared


def _names(text: str, folder: Path, rule: Callable[..., None]) -> dict[str, Any]:
    """Returns a value for each name that a BUILD file uses: glob, and `rule` for the others."""

    def glob(include: list[str], exclude: tuple[str, ...] = ()) -> list[str]:
        found = {path.name for pattern in include for path in folder.glob(pattern)}
        return sorted(found - set(exclude))

    used = {node.id for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Name)}
    rules = {name: rule for name in used if not hasattr(builtins, name)}
    return rules | {"glob": glob}
