"""Tests of converting the text format to the wire format."""

import tracemalloc

import protos
import pytest
from google.protobuf import text_format as protobufs
from google.protobuf import wrappers_pb2
from hypothesis import given
from hypothesis import strategies as st

from tfcarve.models import text_format
from tfcarve.models.text_format import (
    Field,
    Message,
    TextError,
    first_name,
    for_protobuf,
    to_wire,
)

_INNER = Message("Inner", {b"d": Field(1, "bool"), b"e": Field(2, "int")})
_FIELDS = {
    b"a": Field(1, "int"),
    b"b": Field(2, "string"),
    b"c": Field(3, "message", _INNER),
    b"f": Field(4, "float"),
    b"g": Field(5, "shell"),
    b"h": Field(6, "start"),
    b"k": Field(7, "enum", enum={"ONE": 1}.get),
    b"[ext.name]": Field(8, "int"),
}
_OUTER = Message("Outer", _FIELDS, frozenset((b"skip", b"x", b"[other]")))


@pytest.mark.parametrize(
    ("text", "wire"),
    [
        ("", b""),
        ("# a comment", b""),
        ("a: 1 a: 0x10, a: -1;", protos.number(1, 1) + protos.number(1, 16) + protos.number(1, -1)),
        ("a: [1, 2]", protos.number(1, 1) + protos.number(1, 2)),
        ("a: [1] a: [] a:[-2] k: [ONE] skip: [x]", protos.number(1, 1) + protos.number(1, -2) + protos.number(7, 1)),
        ("c [{ e: 1 }] c [] skip [{ }]", protos.data(3, protos.number(2, 1))),
        ("a: 010 a: 0 a: -0x1", protos.number(1, 8) + protos.number(1, 0) + protos.number(1, -1)),
        ("a: 08", None),
        ("a: 1_0", None),
        ("a: 0x" + "0" * 300 + "z", None),
        ("a: 18446744073709551615", protos.number(1, -1)),
        ("""b: "x" 'y' # more\n "\\n\\101\\x41\\"" """, protos.data(2, 'xy\nAA"')),
        ('b: "\\303\\244\\u00e4\\U000000e4"', protos.data(2, "äää")),
        ("c { d: TRUE }", None),
        ("c { d: 2 }", None),
        ("c { d: true } c: < e: 3 >", protos.data(3, protos.number(1, 1)) + protos.data(3, protos.number(2, 3))),
        ("c: [{ e: 1 }, { }]", protos.data(3, protos.number(2, 1)) + protos.data(3, "")),
        ("""h: "x" 'y' skip: "x" 'y'""", protos.data(6, "xy")),
        ("b: " + '""' * 100_000, protos.data(2, "")),
        ("f: -2.5e3 f: nan", (b"\x25" + bytes(4)) * 2),
        ("g { x { y: 1 } z: [1, 2] }", protos.data(5, "")),
        ('h: "' + "x" * 70_000 + '"', protos.data(6, "x" * (text_format._MAX_STRING - 1))),
        ("k: ONE k: 7", protos.number(7, 1) + protos.number(7, 7)),
        ("k: TWO", None),
        ("[ext.name]: 3 [other]: 4", protos.number(8, 3)),
        ('skip: 1 skip { a: 1 } skip: "x" "y" skip: [1, 2] skip < > a: 5', protos.number(1, 5)),
    ],
)  # fmt: skip
def test_fields(text: str, wire: bytes | None) -> None:
    if wire is not None:
        assert to_wire(text.encode(), _OUTER) == wire
        return
    with pytest.raises(TextError, match="line 1: .* was expected"):
        to_wire(text.encode(), _OUTER)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a", "line 1: ':' or '{' was expected after 'a'"),
        ("\n\na: \x01", "line 3: unexpected"),
        ("a: }", "a value was expected"),
        ('\nb: "\\U00110000"', "line 2: invalid escape in "),
        ('b: "\\ud800"', "line 1: invalid escape in "),
        ("a {", "a value of kind int was expected, not a message"),
        ("c: 1", "a message was expected, not '1'"),
        ("b: 1", "a string was expected, not '1'"),
        ("a: 1.5", "an integer was expected"),
        ("a: 36893488147419103232", "an integer was expected"),
        ("a: " + "1" * 10_000, "an integer was expected"),
        ("c {", "the text ends inside a message"),
        ("c }", "':' or '{' was expected"),
        ("{", "a field name was expected"),
        ("a: [1 2]", "',' or ']' was expected"),
        ('a: "x', "unexpected"),
        ("x {" * 100, "more than 64 levels deep"),
        ("skip: [1, }", "a value was expected"),
        ('b: "' + "x" * 70_000 + '"', "a string of more than 65536 bytes"),
        ('b: "' + '" "'.join(["x" * 60_000] * 3) + '"', "a string of more than 65536 bytes"),
    ],
)
def test_invalid_text(text: str, message: str) -> None:
    with pytest.raises(TextError, match=message):
        to_wire(text.encode(), _OUTER)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a: 1\n  skp: 2", "line 2, column 3: Outer has no field 'skp'; did you mean skip?"),
        ("c { e: 1 dd: 2 }", "line 1, column 10: Inner has no field 'dd'; did you mean d?"),
        ("[ext.other]: 3", "line 1, column 1: Outer has no field"),
        ("y { }", "line 1, column 1: Outer has no field 'y'"),
        ("skip { y: 1 } g { y: 1 } x: 1 z: 2", "line 1, column 31: Outer has no field 'z'"),
    ],
)
def test_unknown_fields(text: str, message: str) -> None:
    with pytest.raises(TextError) as raised:
        to_wire(text.encode(), _OUTER)
    assert str(raised.value).startswith(message)


@given(st.text(alphabet='abcx:{}<>[],;"\\\n 1-', max_size=60))
def test_any_text(text: str) -> None:
    try:
        to_wire(text.encode(), _OUTER)
    except TextError as error:
        assert "line " in str(error)


def test_first_name() -> None:
    assert first_name(b" # x\n node { }") == "node"
    assert first_name(b"") == ""
    with pytest.raises(TextError, match="a field name was expected, not '{'"):
        first_name(b"{")


@pytest.mark.parametrize(
    "text",
    [
        b'x: "' + b"\\001" * 250_000 + b'"',
        b"x: '" + b"a" * 1_000_000 + b"'",
        b"x: [" + b"1," * 100_000 + b"1]",
        b"#" * 1_000_000,
        b"x: " + b"1" * 1_000_000,
        b" " * 1_000_000 + b"x {" * 60 + b"}" * 60,
    ],
    ids=["escapes", "one string", "numbers", "a comment", "one number", "blanks"],
)
def test_skipped_fields_take_no_memory(text: bytes) -> None:
    tracemalloc.start()
    try:
        assert to_wire(text, _OUTER) == b""
        assert tracemalloc.get_traced_memory()[1] < len(text)
    finally:
        tracemalloc.stop()


def test_long_blanks_are_shortened() -> None:
    long = " \n" * 100_000
    string = " " * 100_000
    text = f"a: 1 # one{long}b{long}: '{string}' # {'x' * 100_000}".encode()
    assert for_protobuf(text) == f"a: 1\nb\n: '{string}'\n"
    short = "a: 1  # a comment\n\nb: 'x\\\\y' \n"
    assert for_protobuf(short.encode()) == short
    assert for_protobuf(b"") == ""


@pytest.mark.parametrize("number", [15, 16, 17, 40, 41, 100_000])
def test_protobuf_reads_many_backslashes(number: int) -> None:
    """In linear time: as it is written, protobuf takes half a minute for 100,000."""
    text = b'value: "' + b"\\" * number + b'n"'
    found = protobufs.Parse(for_protobuf(text), wrappers_pb2.StringValue())
    assert found.value == "\\" * (number // 2) + ("\n" if number % 2 else "n")


@pytest.mark.parametrize(
    ("text", "error"),
    [
        (b"a: 1\n" * 1000 + b"$" + b" " * 2000, "line 1001: unexpected '\\$"),
        (b'a: 1\nb: "', "line 2: unexpected '\"'"),
        (b'a: "\xff"', "utf-8"),
    ],
)
def test_not_for_protobuf(text: bytes, error: str) -> None:
    with pytest.raises(ValueError, match=error):
        for_protobuf(text)
