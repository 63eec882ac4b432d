"""Converts the protocol buffer text format to the wire format.

Tables list the fields to convert; other fields of the messages are skipped. A text thus takes no more memory than the
selected fields, and one reader of the wire format serves both forms.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import NoReturn

from tfcarve.models.wire import FIXED32, VARINT, Buffer
from tfcarve.models.wire_write import begin, bytes_field, tag, varint
from tfcarve.nearest import nearest

# Deeper than any GraphDef: deeper input is hostile.
_MAX_DEPTH = 64
# Strings of kind "start" are cut to this many bytes; longer strings of kind "string" are errors.
_MAX_STRING = 65_536
_MAX_WORD = 200
# Longer runs are shortened or rewritten for protobuf's parser.
_MAX_BLANK = 1000
_BACKSLASHES = re.compile(rb"\\{16,}+")

# All quantifiers are possessive: there is no backtracking, so matching takes linear time and no memory.
_TOKEN = re.compile(
    rb"""(?:[ \t\r\n]++|\#[^\n]*+)*+
    (?:(?P<string>"(?:[^"\\\n]++|\\.)*+"|'(?:[^'\\\n]++|\\.)*+')
    | (?P<word>-?[A-Za-z0-9_.+\-]++)
    | (?P<name>\[[A-Za-z0-9_./\-]++\])
    | (?P<mark>[{}<>\[\]:,;]))""",
    re.VERBOSE | re.DOTALL,
)
_BLANK = re.compile(rb"(?:[ \t\r\n]++|#[^\n]*+)*+")
_ESCAPE = re.compile(
    rb"\\(?:([0-7]{1,3})|[xX]([0-9a-fA-F]{1,2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|(.))", re.DOTALL
)
_SIMPLE = {
    b"n": b"\n",
    b"r": b"\r",
    b"t": b"\t",
    b"a": b"\a",
    b"b": b"\b",
    b"f": b"\f",
    b"v": b"\v",
}
# With at most as many digits as a 64-bit number has.
_INTEGER = re.compile(rb"-?(?:0[xX][0-9a-fA-F]{1,16}|0([0-7]{0,22})|[1-9][0-9]{0,19})")
_BOOLEANS = {b"true": 1, b"True": 1, b"t": 1, b"1": 1, b"false": 0, b"False": 0, b"f": 0, b"0": 0}


class TextError(ValueError):
    """The input is not a message. The text of the error states the line and the reason."""


@dataclass(frozen=True, slots=True)
class Field:
    """The conversion of a field.

    Attributes:
      number: its number in the message.
      kind: string; start (a string that may be cut to its start); int; bool; enum; message; float and shell (a number
        or message that is written without its content, because only its presence matters).
      message: the message of kind message.
      enum: returns the number of an enumerator, or None if it is unknown.
    """

    number: int
    kind: str
    message: "Message | None" = None
    enum: Callable[[str], int | None] | None = None


@dataclass(frozen=True, slots=True)
class Message:
    """The fields of a message.

    Attributes:
      name: its type, for error messages.
      fields: the fields to convert, by name.
      skipped: the names of its other fields.
    """

    name: str
    fields: Mapping[bytes, Field]
    skipped: frozenset[bytes] = frozenset()


def _unescaped(body: bytes) -> bytes:
    if b"\\" not in body:
        return body

    def value(match: re.Match[bytes]) -> bytes:
        octal, hexadecimal, short, long, simple = match.groups()
        if octal is not None:
            return bytes([int(octal, 8) & 0xFF])
        if hexadecimal is not None:
            return bytes([int(hexadecimal, 16)])
        if short or long:
            return chr(int(short or long, 16)).encode()
        return _SIMPLE.get(simple, simple)

    return _ESCAPE.sub(value, body)


class _Reader:
    def __init__(self, data: Buffer, place: int = 0) -> None:
        self._data = data
        self._place = place
        self._start = 0
        self.kind = ""
        self.token = b""
        self.next()

    def next(self) -> None:
        """Advances to the next token, whose kind is empty at the end of the text; copies only the start of a long one."""
        match = _TOKEN.match(self._data, self._place)
        if match:
            kind = match.lastgroup or ""
            self.kind = kind
            self._start, self._place = match.span(kind)
            self.token = self._data[self._start : min(self._place, self._start + _MAX_STRING)]
            return
        blank = _BLANK.match(self._data, self._place)
        self._place = blank.end() if blank else self._place
        if self._place < len(self._data):
            unexpected = bytes(self._data[self._place : self._place + 20])
            raise self.error(f"unexpected {unexpected.decode(errors='replace')!r}")
        self.kind, self.token = "", b""

    def error(self, what: str) -> TextError:
        """Returns an error with the current line."""
        line = bytes(self._data[: self._place]).count(b"\n") + 1
        return TextError(f"line {line}: {what}: not a protocol buffer in text form, or damaged")

    def begin_list(self) -> bool:
        """Advances into a list if the token begins one. `[1]` is a token of kind "name"."""
        if self.kind == "name":
            self._place = self._start + 1
        elif self.token != b"[":
            return False
        self.next()
        return True

    def shown(self) -> str:
        """Returns the token, for messages."""
        return repr(self.token[:40].decode(errors="replace"))

    def _string(self, whole: bool) -> bytes:
        """Reads adjacent string literals, which are one string; not `whole`: its start."""
        text = bytearray()
        while self.kind == "string":
            long = self._place - self._start > _MAX_STRING
            if whole and (long or len(text) > _MAX_STRING):
                raise self.error(f"a string of more than {_MAX_STRING} bytes")
            if len(text) <= _MAX_STRING:
                try:
                    text += _unescaped(self.token[1:] if long else self.token[1:-1])
                except ValueError:
                    raise self.error(f"invalid escape in {self.shown()}") from None
            self.next()
        return bytes(text)

    def _number(self, field: Field) -> int:
        integer = _INTEGER.fullmatch(self.token)
        if field.kind == "bool":
            number = _BOOLEANS.get(self.token)
        elif integer:
            number = int(integer[0], 8 if integer[1] else 0)
        else:
            number = field.enum(self.token.decode(errors="replace")) if field.enum else None
        if number is None or not -(1 << 63) <= number < 1 << 64:
            expected = {"bool": "true or false", "enum": "an enumerator"}
            what = expected.get(field.kind, "an integer")
            raise self.error(f"{what} was expected, not {self.shown()}")
        self.next()
        return number & 0xFFFFFFFFFFFFFFFF

    def scalar(self, field: Field | None, out: bytearray) -> None:
        """Reads a value that is not a message."""
        if self.kind not in ("string", "word"):
            raise self.error(f"a value was expected, not {self.shown()}")
        if field is None:
            kind = self.kind
            self.next()
            while kind == "string" and self.kind == "string":
                self.next()
        elif field.kind in ("string", "start"):
            if self.kind != "string":
                raise self.error(f"a string was expected, not {self.shown()}")
            text = self._string(field.kind == "string")
            out += bytes_field(field.number, text)
        elif field.kind == "float":
            self.next()
            out += tag(field.number, FIXED32) + bytes(4)
        elif field.kind in ("int", "bool", "enum"):
            out += tag(field.number, VARINT) + varint(self._number(field))
        else:
            raise self.error(f"a message was expected, not {self.shown()}")

    def item(self, field: Field | None, out: bytearray, depth: int) -> None:
        """Reads one value: a message or a scalar."""
        if self.token not in (b"{", b"<"):
            self.scalar(field, out)
            return
        closing = b"}" if self.token == b"{" else b">"
        if field is not None and field.kind not in ("message", "shell"):
            raise self.error(f"a value of kind {field.kind} was expected, not a message")
        inner = bytearray()
        self.message(field.message if field else None, inner, closing, depth + 1)
        if field is not None:
            out += begin(field.number, len(inner))
            out += inner

    def value(self, name: str, field: Field | None, out: bytearray, depth: int) -> None:
        """Reads the value or values after a field's name."""
        colon = self.token == b":"
        if colon:
            self.next()
        elif self.token not in (b"{", b"<", b"["):
            raise self.error(f"':' or '{{' was expected after {name!r}, not {self.shown()}")
        if not self.begin_list():
            self.item(field, out, depth)
            return
        while self.token != b"]":
            self.item(field, out, depth)
            if self.token == b",":
                self.next()
            elif self.token != b"]":
                raise self.error(f"',' or ']' was expected, not {self.shown()}")
        self.next()

    def _unknown(self, message: Message) -> NoReturn:
        """Raises an error that names the current token, the name of a field that a message does not have."""
        before = bytes(self._data[: self._start])
        line, column = before.count(b"\n") + 1, len(before) - (before.rfind(b"\n") + 1) + 1
        name = self.token[:_MAX_WORD].decode()
        known = [each.decode() for each in (*message.fields, *message.skipped)]
        raise TextError(
            f"line {line}, column {column}: {message.name} has no field {name!r}{nearest(name, known)}"
        )

    def message(self, message: Message | None, out: bytearray, closing: bytes, depth: int) -> None:
        """Reads a message, from its opening bracket, which is the current token, to `closing`; None skips all fields."""
        if depth > _MAX_DEPTH:
            raise self.error(f"messages are nested more than {_MAX_DEPTH} levels deep")
        if closing:
            self.next()
        while self.token != closing or (not closing and self.kind):
            if self.kind not in ("word", "name"):
                raise self.error(
                    f"a field name was expected, not {self.shown()}"
                    if self.kind
                    else "the text ends inside a message"
                )
            name = self.token
            field = message.fields.get(name) if message else None
            if message and field is None and name not in message.skipped:
                self._unknown(message)
            self.next()
            self.value(name[:_MAX_WORD].decode(), field, out, depth)
            if self.token in (b",", b";"):
                self.next()
        if closing:
            self.next()


def first_name(data: Buffer) -> str:
    """Returns the name of the first field in a text; empty: the text has no fields.

    Raises:
      TextError: the text does not start with a field name.
    """
    reader = _Reader(data)
    if reader.kind not in ("word", "name", ""):
        raise reader.error(f"a field name was expected, not {reader.shown()}")
    return reader.token[:_MAX_WORD].decode()


def to_wire(data: Buffer, message: Message) -> bytes:
    """Returns the selected fields of a message in text format, in wire format.

    Args:
      data: the text.
      message: the message.

    Raises:
      TextError: the text is not a message, a selected field has another kind, or a field is unknown. Fields of messages
        that are skipped are not checked.
    """
    out = bytearray()
    _Reader(data).message(message, out, b"", 0)
    return bytes(out)


def _octal(backslashes: re.Match[bytes]) -> bytes:
    """Returns a run of backslashes in a string as octal escapes; the last of an odd number begins another escape."""
    pairs, single = divmod(len(backslashes[0]), 2)
    return b"\\134" * pairs + b"\\" * single


def for_protobuf(data: Buffer) -> str:
    """Returns an equal message as text that protobuf's Python parser reads in time and memory proportional to its length.

    That parser takes 160 bytes of memory for each character of a long run of blanks and comments, and quadratic time for
    a run of backslashes. A line break replaces the blanks, and octal escapes replace the backslashes.

    Args:
      data: the text.

    Raises:
      TextError: the text has a character that is in no message.
      UnicodeDecodeError: the text is not UTF-8.
    """
    made = bytearray()
    end = 0
    while token := _TOKEN.match(data, end):
        start = token.start(token.lastgroup or 0)
        made += b"\n" if start - end > _MAX_BLANK else data[end:start]
        made += _BACKSLASHES.sub(_octal, data[start : token.end()])
        end = token.end()
    _Reader(data, end)  # raises TextError if a character follows
    made += b"\n" if len(data) - end > _MAX_BLANK else data[end:]
    return made.decode()
