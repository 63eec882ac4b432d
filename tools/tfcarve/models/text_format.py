"""Protocol buffers' text format, read without knowing the messages.

A message becomes a list of (field, value), a value a Message or a Scalar.
"""

import re
from collections.abc import Collection
from dataclasses import dataclass, field

# As deep as a GraphDef can be, and then some; deeper input is hostile.
_DEEPEST = 64

_TOKEN = re.compile(
    r"""[ \t\r\n]+ | \#[^\n]*
    | (?P<string>"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*')
    | (?P<word>-?[A-Za-z0-9_.+\-]+)
    | (?P<name>\[[A-Za-z0-9_./\-]+\])
    | (?P<mark>[{}<>\[\]:,;])""",
    re.VERBOSE | re.DOTALL,
)
_ESCAPE = re.compile(rb"\\(?:([0-7]{1,3})|[xX]([0-9a-fA-F]{1,2})|(.))", re.DOTALL)
_SIMPLE = {
    b"n": b"\n",
    b"r": b"\r",
    b"t": b"\t",
    b"a": b"\a",
    b"b": b"\b",
    b"f": b"\f",
    b"v": b"\v",
}
_LONGEST_STRING = 4096


class TextError(ValueError):
    """The text is no message: says in which line and why."""


@dataclass(frozen=True, slots=True)
class Scalar:
    """A number, enumerator or truth value as written, or a string's value."""

    text: str
    is_string: bool


@dataclass(slots=True)
class Message:
    """The fields of a message in the order written."""

    fields: list[tuple[str, "Message | Scalar"]] = field(default_factory=list)

    def messages(self, name: str) -> list["Message"]:
        """Returns the messages in the fields `name`."""
        return [v for n, v in self.fields if n == name and isinstance(v, Message)]

    def scalars(self, name: str) -> list[Scalar]:
        """Returns the scalars in the fields `name`."""
        return [v for n, v in self.fields if n == name and isinstance(v, Scalar)]

    def text(self, name: str) -> str:
        """Returns the last scalar in the fields `name`, or nothing."""
        found = self.scalars(name)
        return found[-1].text if found else ""


def _string(token: str) -> str:
    body = token[1:-1]
    if "\\" not in body:
        return body[:_LONGEST_STRING]

    def value(match: re.Match[bytes]) -> bytes:
        octal, hexadecimal, simple = match.groups()
        if octal is not None:
            return bytes([int(octal, 8) & 0xFF])
        if hexadecimal is not None:
            return bytes([int(hexadecimal, 16)])
        return _SIMPLE.get(simple, simple)

    return _ESCAPE.sub(value, body[: _LONGEST_STRING * 4].encode()).decode(errors="replace")[
        :_LONGEST_STRING
    ]


class _Reader:
    def __init__(self, text: str, skipped: Collection[str]) -> None:
        self._text = text
        self._skipped = skipped
        self._names: dict[str, str] = {}
        self._place = 0
        self.kind = ""
        self.token = ""
        self.next()

    def next(self) -> None:
        """Goes on to the next token; its kind is empty at the end."""
        while self._place < len(self._text):
            match = _TOKEN.match(self._text, self._place)
            if not match:
                raise self.error(f"unexpected {self._text[self._place : self._place + 20]!r}")
            self._place = match.end()
            if match.lastgroup:
                self.kind, self.token = match.lastgroup, match.group()
                return
        self.kind, self.token = "", ""

    def error(self, what: str) -> TextError:
        """Returns an error that says in which line it is."""
        line = self._text.count("\n", 0, self._place) + 1
        return TextError(f"line {line}: {what}: no protocol buffer in text form, or damaged")

    def scalar(self) -> Scalar:
        """Reads a scalar; adjacent strings are one."""
        if self.kind == "string":
            parts = []
            while self.kind == "string":
                parts.append(_string(self.token))
                self.next()
            return Scalar("".join(parts), True)
        if self.kind != "word":
            raise self.error(f"a value was expected, not {self.token!r}")
        text = self.token
        self.next()
        return Scalar(text, False)

    def value(self, into: Message, name: str, depth: int) -> None:
        """Reads what follows a field's name."""
        if name in self._skipped:
            into = Message()
        colon = self.token == ":"
        if colon:
            self.next()
        if self.token in ("{", "<"):
            into.fields.append((name, self.message("}" if self.token == "{" else ">", depth + 1)))
        elif not colon:
            raise self.error(f"':' or '{{' was expected after {name!r}, not {self.token!r}")
        elif self.token == "[":
            self.next()
            while self.token != "]":
                if self.token in ("{", "<"):
                    into.fields.append(
                        (name, self.message("}" if self.token == "{" else ">", depth + 1))
                    )
                else:
                    into.fields.append((name, self.scalar()))
                if self.token == ",":
                    self.next()
                elif self.token != "]":
                    raise self.error(f"',' or ']' was expected, not {self.token!r}")
            self.next()
        else:
            into.fields.append((name, self.scalar()))

    def message(self, closing: str, depth: int) -> Message:
        """Reads a message up to and with `closing`; the opening bracket is the current token."""
        if depth > _DEEPEST:
            raise self.error(f"messages inside of messages, more than {_DEEPEST} deep")
        if closing:
            self.next()
        made = Message()
        while self.token != closing or (not closing and self.kind):
            if self.kind not in ("word", "name"):
                raise self.error(
                    f"a field's name was expected, not {self.token!r}"
                    if self.kind
                    else "the text ends inside a message"
                )
            name = self._names.setdefault(self.token, self.token)
            self.next()
            self.value(made, name, depth)
            if self.token in (",", ";") and self.kind == "mark":
                self.next()
        if closing:
            self.next()
        return made


def parse(text: str, skipped: Collection[str] = ()) -> Message:
    """Returns the message in `text` without the fields `skipped`; raises TextError where it is none."""
    return _Reader(text, skipped).message("", 0)
