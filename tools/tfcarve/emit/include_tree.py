"""The headers that some headers need, as one tree to hand to a compiler."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from tfcarve.errors import InvalidInput

_INCLUDE = re.compile(rb'^[ \t]*#[ \t]*include[ \t]*(?:"([^"\n]+)"|<([^>\n]+)>)', re.MULTILINE)


@dataclass(frozen=True)
class IncludePath:
    """The folders that a compiler looks for headers in, in this order."""

    folders: Sequence[Path]

    def find(self, name: str) -> Path | None:
        """Returns the header that an include line's `name` means; None where no folder has it."""
        found = (folder / name for folder in self.folders)
        return next((path for path in found if path.is_file()), None)


def include_tree(path: IncludePath, headers: Iterable[str]) -> dict[str, bytes]:
    """Returns `headers` with all that they include, directly or not: name in the tree -> content.

    An include line counts whatever the #if around it says, so the tree serves every platform. A name that
    no folder has is the system's.

    Args:
      path: where headers are looked for; a name that is not there is looked for beside the header
        that includes it, too.
      headers: names as in include lines, e.g. "tensorflow/core/public/session.h".

    Raises:
      InvalidInput: one of `headers` is not there.
    """
    made: dict[str, bytes] = {}
    todo: list[str] = []
    for name in headers:
        if path.find(name) is None:
            raise InvalidInput(f"{name}: in none of the {len(path.folders)} include folders")
        todo.append(name)
    while todo:
        name = todo.pop()
        found = path.find(name)
        if found is None or name in made:
            continue
        made[name] = found.read_bytes()
        for quoted, bracketed in _INCLUDE.findall(made[name]):
            line = (quoted or bracketed).decode("utf-8", "replace")
            todo.append(_inside([], line))
            if quoted:
                todo.append(_inside(name.split("/")[:-1], line))
    return made


def _inside(folder: Sequence[str], line: str) -> str:
    """The name of what `line` means in a folder of the tree; "" where that lies outside of it."""
    parts = list(folder)
    for part in line.split("/"):
        if part != "..":
            parts += [part] * (part not in ("", "."))
        elif parts:
            parts.pop()
        else:
            return ""
    return "/".join(parts)
