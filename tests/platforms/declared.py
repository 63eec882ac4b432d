"""The tests that BUILD files of this repository declare, and whether they have the tag "manual".

Evaluates the files as Python, with functions that record the rules. The files are trusted: they are the repository's own.
"""

import ast
import builtins
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any


def tests(root: Path, package: str) -> dict[str, bool]:
    """Returns the targets of a package whose names are those of tests: test_NAME or NAME_test.

    Args:
      root: the root of the repository, or of a tree with the package's BUILD file and sources.
      package: like "tests/e2e".
    Returns: label to whether it has the tag "manual".
    Raises FileNotFoundError if the package does not exist.
    """
    folder = root / package
    text = (folder / "BUILD").read_text(encoding="utf-8")
    declared: dict[str, bool] = {}

    def rule(
        *_: object,
        name: str = "",
        tags: tuple[str, ...] = (),
        full: list[str] | bool | None = None,
        **__: object,
    ) -> None:
        if name.startswith("test_") or name.endswith("_test"):
            declared[f"//{package}:{name}"] = "manual" in tags
            if full not in (None, False):  # of built_test and nested_test
                declared[f"//{package}:{name}_full"] = True

    exec(compile(text, f"{package}/BUILD", "exec"), _names(text, folder, rule))
    return declared


class _Loaded:
    """What a BUILD file loads: a rule, or a value with nothing in it."""

    def __init__(self, rule: Callable[..., None]) -> None:
        self._rule = rule

    def __call__(self, *arguments: object, **attributes: Any) -> None:
        self._rule(*arguments, **attributes)

    def __iter__(self) -> Iterator[Any]:
        return iter(())

    def keys(self) -> list[str]:
        return []

    values = items = keys


def _names(text: str, folder: Path, rule: Callable[..., None]) -> dict[str, Any]:
    """Returns a value for each name that a BUILD file uses: glob, and `rule` for the others."""

    def glob(include: list[str], exclude: tuple[str, ...] = ()) -> list[str]:
        found = {path.name for pattern in include for path in folder.glob(pattern)}
        return sorted(found - set(exclude))

    used = {node.id for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Name)}
    loaded = {name: _Loaded(rule) for name in used if not hasattr(builtins, name)}
    return loaded | {"glob": glob}
