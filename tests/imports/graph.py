"""Which modules of tfcarve a Python file needs: what it imports, and what it starts by name.

Modules are named by their path below tools/tfcarve without .py: "models/read", "prepare/__init__".
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

_PACKAGE = "tfcarve"
_INIT = "/__init__"
# Packages whose __init__ imports their modules by name.
LOADING = ("prepare/transforms",)


@dataclass(frozen=True)
class Source:
    """A Python file.

    Attributes:
      imported: the dotted names that it imports, with the attribute that it imports or uses: "tfcarve.models.read.read".
      texts: its string constants.
      first: those that begin a list or a tuple, or are an argument of a call, as the subcommand of a command line.
    """

    imported: frozenset[str]
    texts: frozenset[str]
    first: frozenset[str]

    @classmethod
    def read(cls, path: Path) -> Source:
        """Reads a file; raises SyntaxError."""
        nodes = list(ast.walk(ast.parse(path.read_text(encoding="utf-8"), str(path))))
        imported = {alias.name for n in nodes if isinstance(n, ast.Import) for alias in n.names}
        local = {}
        for node in nodes:
            if isinstance(node, ast.ImportFrom) and node.module and not node.level:
                local |= {a.asname or a.name: f"{node.module}.{a.name}" for a in node.names}
        imported |= set(local.values())
        for node in nodes:
            of = node.value if isinstance(node, ast.Attribute) else None
            if isinstance(of, ast.Name) and of.id in local:
                imported.add(f"{local[of.id]}.{node.attr}")
        lists = [n.elts[:1] for n in nodes if isinstance(n, ast.List | ast.Tuple)]
        arguments = [n.args for n in nodes if isinstance(n, ast.Call)]
        first = [node for group in (*lists, *arguments) for node in group]
        return cls(frozenset(imported), _texts(nodes), _texts(first))


def _texts(nodes: Iterable[ast.AST]) -> frozenset[str]:
    values = (node.value for node in nodes if isinstance(node, ast.Constant))
    return frozenset(value for value in values if isinstance(value, str))


@dataclass(frozen=True)
class Modules:
    """The modules in a folder like tools/tfcarve."""

    folder: Path

    @cached_property
    def files(self) -> Mapping[str, Path]:
        """The file of each module."""
        paths = sorted(self.folder.rglob("*.py"))
        return {path.relative_to(self.folder).with_suffix("").as_posix(): path for path in paths}

    @cached_property
    def commands(self) -> Mapping[str, str]:
        """The module of each subcommand, by the name that users pass."""
        found = (name for name in self.files if name.startswith("commands/") and _INIT not in name)
        return {name.removeprefix("commands/").replace("_", "-"): name for name in found}

    def named(self, dotted: str) -> str | None:
        """Returns the module that a dotted name is, or is in; None if it is not one of tfcarve's."""
        parts = dotted.split(".")
        if parts[0] != _PACKAGE:
            return None
        while True:
            path = "/".join(parts[1:])
            if path in self.files:
                return path
            if f"{path}{_INIT}".lstrip("/") in self.files:
                return f"{path}{_INIT}".lstrip("/")
            parts.pop()

    def of(self, source: Source) -> set[str]:
        """Returns the modules that a source imports, and the programs that it starts by their full names."""
        texts = (text.replace(".", "/").removeprefix(f"{_PACKAGE}/") for text in source.texts)
        programs = {text for text in texts if text in self.files and "/" in text}
        found = {self.named(name) for name in source.imported} | programs
        return {name for name in found if name}

    @cached_property
    def edges(self) -> Mapping[str, frozenset[str]]:
        """For each module those that it needs, without the packages around it."""
        return {
            name: frozenset(self._needed(name, Source.read(path)) - {name, *_around(name)})
            for name, path in self.files.items()
        }

    def _needed(self, name: str, source: Source) -> set[str]:
        """Returns what a module imports; of a package that imports its modules by name, all of them."""
        found = self.of(source)
        loading = {f"{package}{_INIT}" for package in LOADING} & found
        return found | {
            other
            for one in loading
            for other in self.files
            if other.startswith(one.removesuffix("__init__"))
        }

    @cached_property
    def _closures(self) -> dict[str, frozenset[str]]:
        """For some modules all that they need, with themselves."""
        return {}

    def closure(self, name: str) -> frozenset[str]:
        """Returns all modules that a module needs, with itself."""
        if name not in self._closures:
            needed = (self.closure(other) for other in self.edges[name])
            self._closures[name] = frozenset({name}).union(*needed)
        return self._closures[name]

    def shortest(self, roots: set[str]) -> list[str]:
        """Returns the roots that no other root needs."""
        implied = {name for root in roots for name in self.closure(root) - {root}}
        return sorted(roots - implied)


def _around(name: str) -> Iterator[str]:
    """Yields the __init__ of each package around a module, which Python imports first."""
    parts = name.split("/")[:-1]
    for end in range(len(parts) + 1):
        yield "/".join([*parts[:end], "__init__"])
