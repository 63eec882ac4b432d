"""The tests that BUILD files of this repository declare, and which of them run by name alone.

The files are this repository's own: Python reads them as Bazel does, with every rule recorded.
"""

import ast
import builtins
from collections.abc import Callable
from pathlib import Path
from typing import Any


def tests(root: Path, package: str) -> dict[str, bool]:
    """Returns each target of a package that is called test_…

    Args:
      root: of the repository, or of a tree with the BUILD file and its package's sources.
      package: e.g. "tests/e2e".
    Returns: label to whether it runs by name alone (the tag "manual").
    Raises FileNotFoundError where there is no such package.
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
    """Every name that a BUILD file uses: Bazel's few functions, and rules."""

    def glob(include: list[str], exclude: tuple[str, ...] = ()) -> list[str]:
        found = {path.name for pattern in include for path in folder.glob(pattern)}
        return sorted(found - set(exclude))

    used = {node.id for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Name)}
    rules = {name: rule for name in used if not hasattr(builtins, name)}
    return rules | {"glob": glob}
