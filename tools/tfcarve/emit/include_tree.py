"""Collects headers and all headers that they include into one tree."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from tfcarve.errors import InvalidInput

_INCLUDE = re.compile(rb'^[ \t]*#[ \t]*include[ \t]*(?:"([^"\n]+)"|<([^>\n]+)>)', re.MULTILINE)


@dataclass(frozen=True)
class IncludePath:
    """The folders in which headers are searched, in this order."""

    folders: Sequence[Path]

    def find(self, name: str) -> Path | None:
        """Returns the header that an include line with `name` refers to; None if the header is in no folder."""
        found = (folder / name for folder in self.folders)
        return next((path for path in found if path.is_file()), None)


def include_tree(path: IncludePath, headers: Iterable[str]) -> dict[str, bytes]:
    """Returns `headers` and all headers that they include, directly or indirectly: name in the tree -> content.

    Include lines count regardless of the preprocessor conditions around them, so the tree fits every platform. Headers
    that are in no folder are system headers and are omitted.

    Args:
      path: the folders to search; quoted includes are also searched in the folder of the including header.
      headers: names that include lines may have, e.g. "tensorflow/core/public/session.h".

    Raises:
      InvalidInput: one of `headers` is in no folder.
    """
    tree: dict[str, bytes] = {}
    todo: list[str] = []
    for name in headers:
        if path.find(name) is None:
            raise InvalidInput(f"{name}: is in none of the {len(path.folders)} include folders")
        todo.append(name)
    while todo:
        name = todo.pop()
        found = path.find(name)
        if found is None or name in tree:
            continue
        tree[name] = found.read_bytes()
        for quoted, bracketed in _INCLUDE.findall(tree[name]):
            line = (quoted or bracketed).decode("utf-8", "replace")
            todo.append(_inside([], line))
            if quoted:
                todo.append(_inside(name.split("/")[:-1], line))
    return tree


def _inside(folder: Sequence[str], line: str) -> str:
    """Returns the name that an include line in a folder of the tree refers to; "" if it is outside the tree."""
    parts = list(folder)
    for part in line.split("/"):
        if part != "..":
            parts += [part] * (part not in ("", "."))
        elif parts:
            parts.pop()
        else:
            return ""
    return "/".join(parts)
