"""The imports between the folders of tools/tfcarve, and of its folder prepare, are those that docs/design.md lists.

Only commands and programs look up a TensorFlow release; other modules take the release as a parameter.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

import pytest

from docs.tree import ROOT, tracked

# The packages whose parts import each other in one direction, in the order of their tables in design.md.
_PACKAGES = ("tfcarve", "tfcarve.prepare")
_ALL_EXCEPT = "all others except "
_NAMES = r"[a-z_]+(?:, [a-z_]+)*"
_ROW = re.compile(rf"^    ([a-z_]+) +(-|(?:{_ALL_EXCEPT})?{_NAMES})$", re.MULTILINE)
# The functions that look up a TensorFlow release.
_LOOKUPS = {f"tfcarve.releases.known.{name}" for name in ("for_tree", "for_version", "release")}
_PROGRAM = 'if __name__ == "__main__":'
_TABLE = re.compile(rf"(?:{_ROW.pattern}\n)+", re.MULTILINE)


def _imported(source: str) -> Iterator[str]:
    """Yields the full name of each module and symbol that a Python file imports."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            yield from (name.name for name in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield from (f"{node.module}.{name.name}" for name in node.names)


def _imported_parts(source: str, package: str, parts: set[str]) -> set[str]:
    """Returns the parts of a package, its folders and modules, that a Python file imports from."""
    start = f"{package}."
    names = (name.removeprefix(start) for name in _imported(source) if name.startswith(start))
    return {name.partition(".")[0] for name in names} & parts


def _used(source: str) -> Iterator[str]:
    """Yields the full name of each attribute of an imported module that a Python file uses, and of each imported symbol."""
    yield from _imported(source)
    tree = ast.parse(source)
    modules = {
        alias.asname or alias.name: f"{node.module}.{alias.name}"
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute):
            module, _, name = ast.unparse(node).rpartition(".")
            yield f"{modules.get(module, module)}.{name}"


def _looks_up_a_release(source: str) -> bool:
    return not _LOOKUPS.isdisjoint(_used(source))


def _files(package: str) -> dict[str, list[str]]:
    """Returns the sources of each folder of a package, and of each module of tfcarve.prepare."""
    folder = f"tools/{package.replace('.', '/')}/"
    files: dict[str, list[str]] = {}
    for name in tracked():
        if name.startswith(folder) and name.endswith(".py"):
            part, _, inner = name.removeprefix(folder).partition("/")
            if inner or (package != "tfcarve" and part != "__init__.py"):
                source = (ROOT / name).read_text(encoding="utf-8")
                files.setdefault(part.removesuffix(".py"), []).append(source)
    return files


def _listed(package: str) -> dict[str, set[str]]:
    """Returns the rows of design.md, from top to bottom."""
    tables = list(_TABLE.finditer((ROOT / "docs/design.md").read_text(encoding="utf-8")))
    rows: dict[str, str] = dict(_ROW.findall(tables[_PACKAGES.index(package)][0]))
    every = {folder: _names(row, set(rows)) for folder, row in rows.items()}
    return {folder: names - {folder} for folder, names in every.items()}


def _names(row: str, every: set[str]) -> set[str]:
    """Returns the folders that a row of the table names."""
    listed = set(row.removeprefix(_ALL_EXCEPT).split(", ")) - {"-"}
    return every - listed if row.startswith(_ALL_EXCEPT) else listed


@pytest.mark.parametrize("package", _PACKAGES)
def test_the_page_lists_the_imports(package: str) -> None:
    files = _files(package)
    imports = {
        part: {found for each in sources for found in _imported_parts(each, package, set(files))}
        - {part}
        for part, sources in files.items()
    }
    assert _listed(package) == imports


@pytest.mark.parametrize("package", _PACKAGES)
def test_imports_lead_downwards(package: str) -> None:
    rows = list(_listed(package).items())
    for i, (part, imported) in enumerate(rows):
        assert imported <= {name for name, _ in rows[i + 1 :]}, part


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
def test_imported_parts(source: str, expected: set[str]) -> None:
    assert _imported_parts(source, "tfcarve", {"emit", "size"}) == expected


def test_only_commands_and_programs_look_up_a_release() -> None:
    sources = {
        name: (ROOT / name).read_text(encoding="utf-8")
        for name in tracked()
        if name.startswith("tools/tfcarve/") and name.endswith(".py")
    }
    found = {name for name, source in sources.items() if _looks_up_a_release(source)}
    commands = {name for name in found if name.startswith("tools/tfcarve/commands/")}
    assert commands  # the control
    assert {name for name in found - commands if _PROGRAM not in sources[name]} == set()


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("from tfcarve.releases import known\nknown.release()", True),
        (
            "from tfcarve.releases import known as k\ndef f():\n    return k.for_version('1').core",
            True,
        ),
        ("from tfcarve.releases.known import for_tree", True),
        ("import tfcarve.releases.known\ntfcarve.releases.known.release()", True),
        ("from tfcarve.releases import known\nknown.data_files()", False),
        ("from tfcarve.releases.known import TreeFacts", False),
        ("def f(known):\n    return known.release", False),
    ],
)
def test_looks_up_a_release(source: str, expected: bool) -> None:
    assert _looks_up_a_release(source) == expected
