"""Comparisons of the addresses of functions, in what g++ writes with -fdump-tree-ssa. Pure.

The linker's `--icf=all` gives functions with the same code the same address, so such a comparison may have another result.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

# Pointers to functions, with or without the name of a typedef, and to member functions; not pointers to these.
_POINTER = r"(?:\(\*[\w<>:$. ]*\) \(.*\)|::<T\w+> \(.*\) (?:const )?\*)"
_FUNCTION = re.compile(r"^;; Function (.+) \((\w[\w.]*), funcdef_no=", re.MULTILINE)
_DECLARED = re.compile(rf"^  \S.*{_POINTER} (\S+);$", re.MULTILINE)
_PARAMETER = re.compile(r"\(\*[\w<>:$. ]*\) \([^()]*\) (\w+)")
_CONVERTED = re.compile(r"^  (\S+) = (?:\([^()]*\) )?([\w.$]+(?:\(D\))?);$", re.MULTILINE)
_COMPARISON = r"\S+ (?:[=!]=|[<>]=?) \S+"
_COMPARED = re.compile(rf"^  (?:if \(({_COMPARISON})\)|\S+ = ({_COMPARISON});)$", re.MULTILINE)
_NULL = "0B"


def _pointers(text: str) -> set[str]:
    """Returns the names in a function's text that are addresses of functions."""
    signature = text.partition("\n{\n")[0]
    # Parameters get a version: `p_2(D)`.
    parameters = set(_PARAMETER.findall(signature))
    found = set(_DECLARED.findall(text))
    for name in re.findall(r"\b(\w+)_\d+\(D\)", text):
        if name in parameters:
            found.update(re.findall(rf"\b{re.escape(name)}_\d+\(D\)", text))
    converted = _CONVERTED.findall(text)
    size = -1
    while size != len(found):
        size = len(found)
        found.update(new for new, old in converted if old in found)
    return found


def in_dump(dump: str) -> Iterator[tuple[str, str]]:
    """Yields each comparison: the function that has it, and the statement.

    A comparison with the null pointer is none.
    """
    parts = _FUNCTION.split(dump)
    for name, text in zip(parts[1::3], parts[3::3], strict=True):
        compared = [first or second for first, second in _COMPARED.findall(text)]
        pointers = _pointers(text) if compared else set()
        for comparison in compared:
            left, _, right = comparison.split()
            if _NULL not in (left, right) and pointers & {left, right}:
                yield name, comparison
