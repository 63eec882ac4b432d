"""Just enough C++ to read what registration macros are given.

All functions are pure: text in, values out.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

_TOKEN = re.compile(
    r"""
      (?P<raw>(?:u8|[uUL])?R"(?P<tag>[^()\\\s]{0,16})\(.*?(?:\)(?P=tag)"|\Z))
    | (?P<string>(?:u8|[uUL])?"(?:[^"\\\n]++|\\.)*+")
    | (?P<char>'(?:[^'\\\n]++|\\.)++')
    | (?P<comment>//[^\n]*+|/\*.*?(?:\*/|\Z))
    | (?P<word>[A-Za-z_]\w*)
    | (?P<number>\.?\d(?:[\w.]++|'\w)*+)
    | (?P<space>\s+)
    | (?P<mark>::|->|.)
    """,
    re.VERBOSE | re.DOTALL,
)

# TensorFlow's longest list has dozens, its longest op definition a hundred.
_MOST_ARGUMENTS, _MOST_CALLS = 10_000, 1_000

_OPEN = {"(": ")", "[": "]", "{": "}"}
_CLOSE = frozenset(_OPEN.values())

_ESCAPE = re.compile(rb"\\(?:([0-7]{1,3})|x([0-9a-fA-F]+)|(.))", re.DOTALL)
_SIMPLE_ESCAPES = {
    b"n": b"\n",
    b"t": b"\t",
    b"r": b"\r",
    b"0": b"\0",
    b"a": b"\a",
    b"b": b"\b",
    b"f": b"\f",
    b"v": b"\v",
}


@dataclass(frozen=True, slots=True)
class Token:
    """One C++ token: its kind (a group name of the scanner), text and place."""

    kind: str
    text: str
    start: int


@dataclass(frozen=True, slots=True)
class Call:
    """`name<template>(arguments…)`, the arguments as text without outer blanks."""

    name: str
    template: str
    arguments: tuple[str, ...]


def tokens(text: str, start: int = 0) -> Iterator[Token]:
    """Yields the tokens of `text` from `start`, without blanks and comments."""
    for match in _TOKEN.finditer(text, start):
        kind = match.lastgroup or "mark"
        if kind == "tag":
            kind = "raw"
        if kind not in ("space", "comment"):
            yield Token(kind, match.group(), match.start())


def unquote(literal: str) -> str:
    """Returns the value of one string literal, quotes, prefix and raw tag included."""
    body = literal[literal.index('"') :]
    if "R" in literal[: literal.index('"')]:
        tag = body[1 : body.index("(")]
        return body[len(tag) + 2 : -len(tag) - 2]
    return unescape(body[1:-1])


def unescape(body: str) -> str:
    """Returns `body`, the inside of a literal, with its escapes replaced."""
    if "\\" not in body:
        return body
    raw, made, place = body.encode(), bytearray(), 0
    # Not by sub(), which takes a hundred bytes for each.
    for match in _ESCAPE.finditer(raw):
        octal, hexadecimal, simple = match.groups()
        made += raw[place : match.start()]
        place = match.end()
        if octal is not None:
            made.append(int(octal, 8) & 0xFF)
        elif hexadecimal is not None:
            made.append(int(hexadecimal, 16) & 0xFF)
        else:
            made += _SIMPLE_ESCAPES.get(simple, simple)
    return (made + raw[place:]).decode(errors="replace")


def literal(text: str) -> str | None:
    """Returns the value of adjacent string literals, or None when `text` is anything else."""
    parts = []
    for token in tokens(text):
        if token.kind not in ("string", "raw"):
            return None
        parts.append(unquote(token.text))
    return "".join(parts) if parts else None


def balanced(text: str, start: int) -> tuple[tuple[str, ...], int]:
    """Reads the bracket at `text[start]`.

    Returns the arguments (split at commas outside of any bracket) and the place
    after the closing bracket. Raises ValueError where nothing closes it, or there are too many.
    """
    stack = [_OPEN[text[start]]]
    arguments: list[str] = []
    begin = start + 1
    for token in tokens(text, start + 1):
        if token.kind != "mark":
            continue
        if token.text in _OPEN:
            stack.append(_OPEN[token.text])
        elif token.text in _CLOSE:
            if stack.pop() != token.text:
                break
            if not stack:
                last = text[begin : token.start].strip()
                if last or arguments:
                    arguments.append(last)
                return tuple(arguments), token.start + 1
        elif token.text == "," and len(stack) == 1:
            arguments.append(text[begin : token.start].strip())
            begin = token.start + 1
            if len(arguments) > _MOST_ARGUMENTS:
                raise ValueError(f"more than {_MOST_ARGUMENTS} arguments")
    raise ValueError(f"bracket without an end: {text[start : start + 60]!r}")


def _template(text: str, start: int) -> tuple[str, int]:
    """Reads `<…>` at `text[start]`; returns what is inside and the place after it."""
    depth = 0
    for token in tokens(text, start):
        if token.text == "<":
            depth += 1
        elif token.text == ">":
            depth -= 1
            if depth == 0:
                return text[start + 1 : token.start].strip(), token.start + 1
    raise ValueError(f"'<' without an end: {text[start : start + 60]!r}")


_NAME = re.compile(r"\s*(?:::\s*)?((?:\w+\s*::\s*)*+(?:template\s+)?\w+)\s*")
_DOT = re.compile(r"\s*\.\s*(?:template\s+)?")


def chain(text: str, start: int = 0) -> tuple[tuple[Call, ...], int]:
    """Reads `f(…).g<T>(…)…` at `text[start]`.

    Returns the calls in order and the place where the chain ends. Raises
    ValueError where the text is no such chain.
    """
    calls: list[Call] = []
    place = start
    while True:
        match = _NAME.match(text, place)
        if not match:
            raise ValueError(f"a call was expected: {text[place : place + 60]!r}")
        name, place = match.group(1), match.end()
        template = ""
        if text[place : place + 1] == "<":
            template, place = _template(text, place)
            while text[place : place + 1].isspace():
                place += 1
        if text[place : place + 1] != "(":
            raise ValueError(f"'(' was expected: {text[place : place + 60]!r}")
        arguments, place = balanced(text, place)
        calls.append(Call(name, template, arguments))
        if len(calls) > _MOST_CALLS:
            raise ValueError(f"more than {_MOST_CALLS} calls in a row")
        dot = _DOT.match(text, place)
        if not dot:
            return tuple(calls), place
        place = dot.end()
