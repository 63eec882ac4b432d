"""Parses a list of transforms: `name(parameter=value, other="1,299,299,3") name2`.

Source of the syntax: ParseTransformParameters in tensorflow/tools/graph_transforms/transform_graph.cc.
"""

import re
from dataclasses import dataclass

from tfcarve.errors import InvalidInput

_SPACE = re.compile(r"\s*")
_NAME = re.compile(r"\w+", re.ASCII)
_PLAIN = re.compile(r"[\w\-./]+", re.ASCII)
_QUOTED = re.compile(r'"((?:[^"\\]|\\.)*)"', re.DOTALL)


@dataclass(frozen=True)
class Step:
    """One transform of a list.

    Attributes:
      name: the transform's name.
      parameters: the values of each parameter, in the order in which they are given.
    """

    name: str
    parameters: dict[str, tuple[str, ...]]


class _Reader:
    def __init__(self, text: str) -> None:
        self._text = text
        self._offset = 0

    def at_end(self) -> bool:
        return self._offset >= len(self._text)

    def take(self, pattern: re.Pattern[str]) -> re.Match[str] | None:
        found = pattern.match(self._text, self._offset)
        if found:
            self._offset = found.end()
        return found

    def literal(self, text: str) -> bool:
        if not self._text.startswith(text, self._offset):
            return False
        self._offset += len(text)
        return True

    def wrong(self, wanted: str) -> InvalidInput:
        rest = self._text[self._offset :]
        found = repr(rest[:30]) if rest else "the end"
        return InvalidInput(
            f"transforms: character {self._offset}: expected {wanted}, found {found}"
        )


def _value(reader: _Reader) -> str:
    quoted = reader.take(_QUOTED)
    if quoted:
        return quoted[1]
    plain = reader.take(_PLAIN)
    if plain is None:
        raise reader.wrong(
            'a value (in " if it has other characters than letters, digits and _-./)'
        )
    return plain[0]


def _parameters(reader: _Reader) -> dict[str, tuple[str, ...]]:
    found: dict[str, tuple[str, ...]] = {}
    while True:
        reader.take(_SPACE)
        if reader.literal(")"):
            return found
        name = reader.take(_NAME)
        if name is None:
            raise reader.wrong("a parameter's name or )")
        if not reader.literal("="):
            raise reader.wrong(f"= after {name[0]!r}")
        found[name[0]] = (*found.get(name[0], ()), _value(reader))
        reader.take(_SPACE)
        reader.literal(",")


def parse(text: str) -> list[Step]:
    """Parses the transforms in `text`; raises InvalidInput, with the character offset, on a syntax error."""
    reader = _Reader(text)
    steps = []
    while True:
        reader.take(_SPACE)
        if reader.at_end():
            break
        name = reader.take(_NAME)
        if name is None:
            raise reader.wrong("a transform's name")
        steps.append(Step(name[0], _parameters(reader) if reader.literal("(") else {}))
    if not steps:
        raise InvalidInput(
            "transforms: the list is empty: name at least one, for example fold_constants"
        )
    return steps
