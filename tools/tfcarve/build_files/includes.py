"""Which files of a tree a C++ source includes."""

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

_INCLUDE = re.compile(r'^\s*#\s*include\s+"([^"]+)"', re.MULTILINE)


def included(text: str) -> tuple[str, ...]:
    """What the quoted include lines of a file name, in order."""
    return tuple(_INCLUDE.findall(text))


@dataclass
class IncludeGraph:
    """Quoted includes by file, read as they are asked for; paths are relative to the root."""

    root: Path
    _direct: dict[str, tuple[str, ...]] = field(default_factory=dict)

    def direct(self, name: str) -> tuple[str, ...]:
        """What a file includes by its own lines, in order, also what the tree does not hold."""
        if name not in self._direct:
            path = self.root / name
            text = path.read_text(encoding="utf-8", errors="replace") if path.is_file() else ""
            self._direct[name] = included(text)
        return self._direct[name]

    def closure(self, sources: Iterable[str]) -> set[str]:
        """All that sources include, directly or not, as the include lines name it."""
        seen: set[str] = set()
        todo = list(sources)
        while todo:
            for name in self.direct(todo.pop()):
                if name not in seen:
                    seen.add(name)
                    todo.append(name)
        return seen
