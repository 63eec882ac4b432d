"""Finds lines that are the same in two places. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import PurePath

# Comments and imports, for each kind of source.
_HASH = re.compile(
    r"^[ \t]*(?:#.*|(?:from [\w.]+ )?import (?:\([^)]*\)|.*)|load\([^)]*\))", re.MULTILINE
)
_SLASHES = re.compile(r"^[ \t]*(?://.*|/\*(?s:.*?)\*/|#include .*|import .*)", re.MULTILINE)
_IGNORED = {
    **dict.fromkeys(("BUILD", ".bzl", ".py", ".pyi"), _HASH),
    **dict.fromkeys((".c", ".cc", ".h", ".hpp", ".inc", ".java"), _SLASHES),
}


def _kind(name: str) -> str:
    path = PurePath(name)
    return path.suffix or path.name


def is_source(name: str) -> bool:
    """Returns whether `repeated` knows the comments and imports of a file of this name."""
    return _kind(name) in _IGNORED


def _lines(name: str, text: str) -> list[tuple[int, str]]:
    """Returns the lines of a source with their numbers, without comments, imports and blank lines."""
    ignored = _IGNORED[_kind(name)]
    code = ignored.sub(lambda match: "\n" * match.group().count("\n"), text)
    stripped = ((number, " ".join(line.split())) for number, line in enumerate(code.split("\n"), 1))
    return [(number, line) for number, line in stripped if line]


def _windows(name: str, text: str, count: int) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Yields each `count` consecutive lines of a source, with the place of the first as NAME:NUMBER."""
    lines = _lines(name, text)
    for start in range(len(lines) - count + 1):
        window = lines[start : start + count]
        yield f"{name}:{window[0][0]}", tuple(line for _, line in window)


def repeated(sources: Mapping[str, str], most: int) -> list[str]:
    """Returns a message for each pair of files that share more than `most` consecutive lines.

    White space within lines, blank lines, comments and imports do not count.

    Args:
      sources: the name of each file and its text. `is_source` is true for each name.
      most: the number of lines that two places may share.
    """
    first_places: dict[tuple[str, ...], str] = {}
    messages: dict[tuple[str, str], str] = {}
    for name, text in sources.items():
        for place, window in _windows(name, text, most + 1):
            first = first_places.setdefault(window, place)
            if first != place:
                pair = (first.rpartition(":")[0], name)
                messages.setdefault(pair, f"{first} and {place} share more than {most} lines")
    return list(messages.values())
