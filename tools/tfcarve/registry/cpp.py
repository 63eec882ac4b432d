"""A minimal C++ parser for the arguments of registration macros. Pure."""

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

# The longest list in TensorFlow has dozens of items, its longest op definition a hundred calls.
_MAX_ARGUMENTS, _MAX_CALLS = 10_000, 1_000

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
    """One C++ token: its kind (a group name of the scanner), text and position."""

    kind: str
    text: str
    start: int


@dataclass(frozen=True, slots=True)
class Call:
    """`name<template>(arguments…)`, the arguments as stripped text."""

    name: str
    template: str
    arguments: tuple[str, ...]


def tokens(text: str, start: int = 0) -> Iterator[Token]:
    """Yields the tokens of `text` from `start` on, without blanks and comments."""
    for match in _TOKEN.finditer(text, start):
        kind = match.lastgroup or "mark"
        if kind == "tag":
            kind = "raw"
        if kind not in ("space", "comment"):
            yield Token(kind, match.group(), match.start())


def unquote(literal: str) -> str:
    """Returns the value of one string literal with its prefix and quotes."""
    body = literal[literal.index('"') :]
    if "R" in literal[: literal.index('"')]:
        tag = body[1 : body.index("(")]
        return body[len(tag) + 2 : -len(tag) - 2]
    return unescape(body[1:-1])


def unescape(body: str) -> str:
    """Returns the value of `body`, the text between the quotes of a literal."""
    if "\\" not in body:
        return body
    raw, value, place = body.encode(), bytearray(), 0
    # sub() needs a hundred bytes for each match.
    for match in _ESCAPE.finditer(raw):
        octal, hexadecimal, simple = match.groups()
        value += raw[place : match.start()]
        place = match.end()
        if octal is not None:
            value.append(int(octal, 8) & 0xFF)
        elif hexadecimal is not None:
            value.append(int(hexadecimal, 16) & 0xFF)
        else:
            value += _SIMPLE_ESCAPES.get(simple, simple)
    return (value + raw[place:]).decode(errors="replace")


def literal(text: str) -> str | None:
    """Returns the value of adjacent string literals, or None if `text` is something else."""
    parts = []
    for token in tokens(text):
        if token.kind not in ("string", "raw"):
            return None
        parts.append(unquote(token.text))
    return "".join(parts) if parts else None


def balanced(text: str, start: int) -> tuple[tuple[str, ...], int]:
    """Parses the bracket at `text[start]`.

    Returns:
      The arguments (separated by commas outside of nested brackets), and the position after the closing bracket.

    Raises:
      ValueError: the closing bracket is missing, or there are too many arguments.
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
            if len(arguments) > _MAX_ARGUMENTS:
                raise ValueError(f"more than {_MAX_ARGUMENTS} arguments")
    raise ValueError(f"unterminated bracket: {text[start : start + 60]!r}")


def _template(text: str, start: int) -> tuple[str, int]:
    """Parses `<…>` at `text[start]`; returns the text inside and the position after it."""
    depth = 0
    for token in tokens(text, start):
        if token.text == "<":
            depth += 1
        elif token.text == ">":
            depth -= 1
            if depth == 0:
                return text[start + 1 : token.start].strip(), token.start + 1
    raise ValueError(f"unterminated '<': {text[start : start + 60]!r}")


_NAME = re.compile(r"\s*(?:::\s*)?((?:\w+\s*::\s*)*+(?:template\s+)?\w+)\s*")
_DOT = re.compile(r"\s*\.\s*(?:template\s+)?")


def chain(text: str, start: int = 0) -> tuple[tuple[Call, ...], int]:
    """Parses `f(…).g<T>(…)…` at `text[start]`.

    Returns:
      The calls in order, and the position after the last one.

    Raises:
      ValueError: the text is not such a chain.
    """
    calls: list[Call] = []
    place = start
    while True:
        match = _NAME.match(text, place)
        if not match:
            raise ValueError(f"expected a call: {text[place : place + 60]!r}")
        name, place = match.group(1), match.end()
        template = ""
        if text[place : place + 1] == "<":
            template, place = _template(text, place)
            while text[place : place + 1].isspace():
                place += 1
        if text[place : place + 1] != "(":
            raise ValueError(f"expected '(': {text[place : place + 60]!r}")
        arguments, place = balanced(text, place)
        calls.append(Call(name, template, arguments))
        if len(calls) > _MAX_CALLS:
            raise ValueError(f"more than {_MAX_CALLS} calls in a row")
        dot = _DOT.match(text, place)
        if not dot:
            return tuple(calls), place
        place = dot.end()
