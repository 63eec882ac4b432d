"""Qualified names of symbols. They are equal on all platforms; mangled names differ in the types of the standard library."""

import re

# Itanium C++ ABI, 5.1: a symbol begins with _Z; Mach-O adds an underscore. Virtual tables, guards and thunks precede the name.
_START = re.compile(r"_Z(?:T[VTIS]|GV|T[hv](?:n?\d+_)+)?L?")
_NESTED = re.compile(r"N[rVK]*[RO]?")
_LENGTH = re.compile(r"L?(\d+)")
_LAST = re.compile(r"[CD](?=[0-9I])|[a-z][a-zA-Z]")


def qualified_name(symbol: str) -> str:
    """Returns the namespaces, classes and name of a C++ symbol, without parameters. A symbol of another language is not changed.

    All constructors of a class have one name. So have its destructors, and all overloads of a function. Template arguments are dropped,
    except for the first argument of the name itself, if the argument is a class: `Arena::CreateMaybeMessage<tensorflow::Example>`.
    """
    text = symbol[1:] if symbol.startswith("__Z") else symbol
    start = _START.match(text)
    if start is None:
        return text
    name, end = _name(text, start.end())
    if text.startswith("IN", end):
        argument, _ = _name(text, end + 1)
        return f"{name}<{argument}>" if argument else name
    return name or text


def _name(text: str, at: int) -> tuple[str, int]:
    """Returns the name at a position, and its end; the name is "" if it is in the standard library (`St`, `Ss`)."""
    nested = _NESTED.match(text, at)
    at = nested.end() if nested else at
    parts: list[str] = []
    while (length := _LENGTH.match(text, at)) and length.end() + int(length[1]) <= len(text):
        begin = length.end()
        at = begin + int(length[1])
        parts.append(text[begin:at])
        if not nested:
            break
    if nested and parts and (last := _LAST.match(text, at)):
        parts.append(last[0])
        at = last.end()
    return "::".join(parts), at
