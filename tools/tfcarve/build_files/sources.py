"""The C++ sources of a tree: what they include, and the names in them."""

import functools
import re
from collections.abc import Callable, Iterable
from pathlib import Path

from tfcarve.build_files.symbols import Names, names

_INCLUDE = re.compile(r'^\s*#\s*include\s+"([^"]+)"', re.MULTILINE)


def included(text: str) -> tuple[str, ...]:
    """What the quoted include lines of a file name, in order."""
    return tuple(_INCLUDE.findall(text))


class Sources:
    """Files by their paths from the tree's root, each looked at when it is first asked for, and once."""

    def __init__(self, text: Callable[[str], str]) -> None:
        """Args: text: gives the text of the file at a path, an empty one where there is none."""
        self._direct = functools.cache(lambda path: included(text(path)))
        self._names = functools.cache(lambda path: names(text(path)))

    def direct(self, path: str) -> tuple[str, ...]:
        """What a file includes by its own lines, in order, also what the tree does not hold."""
        return self._direct(path)

    def closure(self, paths: Iterable[str]) -> set[str]:
        """All that files include, directly or not, as the include lines name it."""
        seen: set[str] = set()
        todo = list(paths)
        while todo:
            new = set(self._direct(todo.pop())) - seen
            seen |= new
            todo += new
        return seen

    def names(self, path: str) -> Names:
        """The names in a file."""
        return self._names(path)


def below(root: Path) -> Sources:
    """The sources of the tree in a folder."""

    def text(path: str) -> str:
        file = root / path
        return file.read_text(encoding="utf-8", errors="replace") if file.is_file() else ""

    return Sources(text)
