"""The C++ sources of a tree: their includes and the names in them."""

import functools
import re
from collections.abc import Callable, Iterable
from pathlib import Path

from tfcarve.build_files.symbols import Names, names

_INCLUDE = re.compile(r'^\s*#\s*include\s+"([^"]+)"', re.MULTILINE)


def included(text: str) -> tuple[str, ...]:
    """Returns the names in the quoted include lines of a source, in order."""
    return tuple(_INCLUDE.findall(text))


class Sources:
    """Sources by path relative to the tree's root; each is read when it is first needed, and cached."""

    def __init__(self, text: Callable[[str], str]) -> None:
        """Args: text: returns the content of the file at a path; empty: there is no such file."""
        self._direct = functools.cache(lambda path: included(text(path)))
        self._names = functools.cache(lambda path: names(text(path)))

    def direct(self, path: str) -> tuple[str, ...]:
        """Returns the direct includes of a file, in order; includes may be outside the tree."""
        return self._direct(path)

    def closure(self, paths: Iterable[str]) -> set[str]:
        """Returns the direct and indirect includes of files, as named in include lines."""
        seen: set[str] = set()
        todo = list(paths)
        while todo:
            new = set(self._direct(todo.pop())) - seen
            seen |= new
            todo += new
        return seen

    def names(self, path: str) -> Names:
        """Returns the names in a file."""
        return self._names(path)


def below(root: Path) -> Sources:
    """Returns the sources of the tree in a folder."""

    def text(path: str) -> str:
        file = root / path
        return file.read_text(encoding="utf-8", errors="replace") if file.is_file() else ""

    return Sources(text)
