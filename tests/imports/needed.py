"""Which modules of tfcarve each test file needs, through the helpers of other folders too."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from functools import cached_property
from pathlib import Path

from imports.graph import Modules, Source

_CLI, _PROGRAM = "cli", "__main__"
# What uses all subcommands, whatever a source names.
_ALL_COMMANDS = {"tfcarve.cli.parser", "tfcarve.commands.NAMES", "tfcarve.commands.load"}
# Folders from which tests import packages, besides their own folder.
_ROOTS = ("tests", "tools", ".")
_DOTTED = re.compile(r"\w+(?:\.\w+)+\Z")
# Folders with helpers of tests.
_HELPERS = ("tests", "tools/demo", "benchmarks")


class Needed:
    """The test files of a tree of this repository."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._modules = Modules(root / "tools/tfcarve")
        self._sources: dict[Path, Source] = {}

    @cached_property
    def _by_stem(self) -> Mapping[str, list[Path]]:
        found: dict[str, list[Path]] = defaultdict(list)
        for folder in _HELPERS:
            for path in sorted((self._root / folder).rglob("*.py")):
                found[path.stem].append(path)
        return found

    def _source(self, path: Path) -> Source:
        if path not in self._sources:
            self._sources[path] = Source.read(path)
        return self._sources[path]

    def _helper(self, name: str, folder: Path) -> Iterator[Path]:
        """Yields the files that an import in a file of `folder` may mean."""
        parts = name.split(".")
        bases = (folder, *(self._root / root for root in _ROOTS))
        for end in range(len(parts), 0, -1):
            for base in bases:
                path = base.joinpath(*parts[:end])
                for file in (path.with_suffix(".py"), path / "__init__.py"):
                    if file.is_file():
                        yield file
                        return
        yield from self._by_stem.get(parts[0], [])

    def _closure(self, test: Path) -> set[Path]:
        """Returns a test file, the conftest.py files around it, and all helpers that they import."""
        found: set[Path] = set()
        pending = [test, *self._conftests(test.parent)]
        while pending:
            path = pending.pop()
            if path in found:
                continue
            found.add(path)
            for name in self._source(path).imported:
                if not name.startswith("tfcarve."):
                    pending += self._helper(name, path.parent)
            pending += self._programs(self._source(path))
        return found

    def _programs(self, source: Source) -> list[Path]:
        """Returns the helpers that a source starts by their full names: `python -m e2e.sessions.session_memory`."""
        names = (text.replace(".", "/") for text in source.texts if _DOTTED.match(text))
        paths = [self._root / base / f"{name}.py" for name in names for base in _ROOTS]
        return [path for path in paths if path.is_file()]

    def _conftests(self, folder: Path) -> list[Path]:
        around = [folder, *folder.parents]
        files = [one / "conftest.py" for one in around[: around.index(self._root)]]
        return [file for file in files if file.is_file()]

    def of(self, test: Path) -> list[str]:
        """Returns the modules that a test file needs, without those that these need."""
        sources = [self._source(path) for path in self._closure(test)]
        modules = {module for source in sources for module in self._modules.of(source)}
        if any({"-m", "tfcarve"} <= source.texts for source in sources):
            modules.add(_PROGRAM)
        if any(source.imported & _ALL_COMMANDS for source in sources):
            modules |= set(self._modules.commands.values())
        elif modules & {_CLI, _PROGRAM}:
            first = {text for source in sources for text in source.first}
            modules |= {m for name, m in self._modules.commands.items() if name in first}
        return self._modules.shortest(modules)

    def all(self) -> dict[str, list[str]]:
        """Returns the modules of each test file below tests/ that needs any."""
        files = sorted((self._root / "tests").rglob("test_*.py"))
        named = {path.relative_to(self._root).as_posix(): self.of(path) for path in files}
        return {name: modules for name, modules in named.items() if modules}

    def modules(self) -> dict[str, list[str]]:
        """Returns for each module of tfcarve those that it needs, without those that these need."""
        edges = self._modules.edges
        return {name: self._modules.shortest(set(edges[name])) for name in sorted(edges)}
