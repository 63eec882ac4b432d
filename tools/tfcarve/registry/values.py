"""Evaluates the C++ expressions in raw records.

Most are string literals, enumerators or types. The others are constants (`kArgOp`, `DEVICE_CPU`), lists of types
(`kTpuAllTypes`) and functions that return one literal (`GetPaddingAttrString()`), whose definitions are in the tree.
"""

import re
from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache

from tfcarve import dtypes
from tfcarve.registry import cpp

_WORD = re.compile(r"(?:\w+\s*::\s*)*(\w+)\s*(\(\s*\))?$")
_LITERALS = r'((?:"(?:[^"\\\n]|\\.)*"\s*)+)'


class Unresolved(ValueError):
    """An expression whose value is unknown; the message contains it."""


# The text after a constant's name (its value is literals, a list in braces, or another name), and after the name of a
# function that returns literals.
_VARIABLE = re.compile(
    rf"\s*(?:\[\s*\w*\s*\]\s*)?(?:=?\s*(?:{_LITERALS}|(\{{\{{?[\w\s:,]*\}}\}}?))|=\s*([\w:]+))\s*;"
)
_FUNCTION = re.compile(rf"\s*\(\s*\)\s*\{{\s*return\s+{_LITERALS}\s*;")


def constants(names: Iterable[str], texts: Mapping[str, str]) -> dict[str, dict[str, str]]:
    """Finds the definitions of `names` in `texts`, by path.

    Returns:
      For each name, the defining expression by path: literals, a list in braces, or another name.
    """
    wanted = sorted(set(names))
    found: dict[str, dict[str, str]] = {}
    for path, text in texts.items():
        for name in wanted:
            place = text.find(name)
            while place >= 0:
                end = place + len(name)
                if not (place and (text[place - 1].isalnum() or text[place - 1] == "_")):
                    match = _VARIABLE.match(text, end) or _FUNCTION.match(text, end)
                    if match:
                        value = next(g for g in match.groups() if g is not None)
                        found.setdefault(name, {}).setdefault(path, value.strip())
                        break
                place = text.find(name, end)
    return found


def name_of(expression: str) -> str | None:
    """Returns the unqualified name if `expression` is a name or a call without arguments."""
    match = _WORD.match(expression.strip())
    return match.group(1) if match else None


class Resolver:
    """Evaluates expressions in the context of a file."""

    def __init__(self, table: Mapping[str, Mapping[str, str]]) -> None:
        """Uses the definitions that `constants` returned."""
        self._table = table
        self.string: Callable[[str, str], str] = lru_cache(maxsize=None)(self._string)
        self.types: Callable[[str, str], tuple[str, ...]] = lru_cache(maxsize=None)(self._types)

    def _definition(self, expression: str, file: str) -> str:
        name = name_of(expression)
        # `kX = Other::kX` refers to another definition.
        places = {p: v for p, v in self._table.get(name or "", {}).items() if name_of(v) != name}
        if file in places:
            return places[file]
        values = set(places.values())
        if len(values) == 1:
            return values.pop()
        near = {v for p, v in places.items() if p.rpartition("/")[0] == file.rpartition("/")[0]}
        if len(near) == 1:
            return near.pop()
        why = "has several definitions" if values else "has no definition in the tree"
        raise Unresolved(f"{expression!r} {why}")

    def _string(self, expression: str, file: str) -> str:
        seen = set()
        while expression not in seen:
            seen.add(expression)
            value = cpp.literal(expression)
            if value is not None:
                return value
            expression = self._definition(expression, file)
        raise Unresolved(f"{expression!r} is defined by itself")

    def _types(self, expression: str, file: str) -> tuple[str, ...]:
        name = name_of(expression)
        one = dtypes.from_enum(name) if name else None
        if one:
            return (one,)
        text = self._definition(expression, file)
        names = (dtypes.from_enum(word) for word in re.findall(r"\b(?:DT|TF)_\w+", text))
        found = tuple(n for n in names if n)
        if not found:
            raise Unresolved(f"{expression!r} is not a list of types: {text[:80]}")
        return found

    def cpp_type(self, expression: str) -> str:
        """Returns the data type for a C++ type."""
        enum = re.match(
            r"(?:typename\s+)?(?:\w*\s*::\s*)*EnumToDataType\s*<\s*(\w+)\s*>\s*::\s*Type$",
            expression,
        )
        name = dtypes.from_enum(enum.group(1)) if enum else dtypes.from_cpp(expression)
        if name is None:
            raise Unresolved(f"C++ type {expression!r} has no data type")
        return name


def unresolved_names(expressions: Iterable[str]) -> set[str]:
    """Returns the names among `expressions` whose definitions must be found in the tree."""
    needed = set()
    for expression in expressions:
        if expression and not expression.startswith('"') and cpp.literal(expression) is None:
            name = name_of(expression)
            if name and dtypes.from_enum(name) is None and not name.lstrip("-").isdigit():
                needed.add(name)
    return needed
