"""Texts of attributes as a carved library parses them, compared with protobuf's own parser."""

from __future__ import annotations

import io
import subprocess
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from google.protobuf import text_format
from google.protobuf.descriptor import FieldDescriptor
from hypothesis import strategies as st
from tensorflow.core.framework import attr_value_pb2

from built import published
from e2e.random_cases import seeded_examples
from models import frozen

_EXAMPLES = 400
_MAX_DEPTH = 3
_MAX_REPEATED = 2
# Options of text_format.
_STYLES = ("as_one_line", "pointy_brackets", "use_short_repeated_primitives")
# The field of AttrValue for each type of an attribute.
_FIELDS = {name: name for name in ("func", "shape", "tensor", "type")} | {
    name: name[0] for name in ("bool", "float", "int", "string")
}


def _integers(bits: int, *, signed: bool) -> st.SearchStrategy[int]:
    return (
        st.integers(-(1 << bits - 1), (1 << bits - 1) - 1)
        if signed
        else st.integers(0, (1 << bits) - 1)
    )


_SCALARS = {
    FieldDescriptor.TYPE_BOOL: st.booleans(),
    FieldDescriptor.TYPE_BYTES: st.binary(max_size=8),
    FieldDescriptor.TYPE_DOUBLE: st.floats(allow_nan=False),
    FieldDescriptor.TYPE_FLOAT: st.floats(allow_nan=False, width=32),
    FieldDescriptor.TYPE_INT32: _integers(32, signed=True),
    FieldDescriptor.TYPE_INT64: _integers(64, signed=True),
    FieldDescriptor.TYPE_STRING: st.text(max_size=8),
    FieldDescriptor.TYPE_UINT32: _integers(32, signed=False),
    FieldDescriptor.TYPE_UINT64: _integers(64, signed=False),
}


def _scalar(field: Any) -> st.SearchStrategy[Any]:
    if field.enum_type is not None:
        return st.sampled_from([value.number for value in field.enum_type.values])
    return _SCALARS[field.type]


def _fill(message: Any, draw: Callable[[Any], Any], depth: int) -> None:
    """Sets random fields of a message; of those in a oneof, one."""
    fields = list(message.DESCRIPTOR.fields)
    for field in [draw(st.sampled_from(fields))] if message.DESCRIPTOR.oneofs else fields:
        is_repeated = field.label == field.LABEL_REPEATED
        for _ in range(draw(st.integers(0, _MAX_REPEATED if is_repeated else 1))):
            _set_field(message, field, draw, depth)


def _set_field(message: Any, field: Any, draw: Callable[[Any], Any], depth: int) -> None:
    member = getattr(message, field.name)
    is_repeated = field.label == field.LABEL_REPEATED
    if field.message_type is None:
        value = draw(_scalar(field))
        if is_repeated:
            member.append(value)
        else:
            setattr(message, field.name, value)
    elif depth < _MAX_DEPTH:
        if field.message_type.GetOptions().map_entry:
            # The runtime refuses an entry without its key.
            nested = member[draw(st.text(min_size=1, max_size=8))]
        elif is_repeated:
            nested = member.add()
        else:
            member.SetInParent()
            nested = member
        _fill(nested, draw, depth + 1)


@dataclass(frozen=True)
class _Text:
    """The text of an attribute's value."""

    type: str
    text: str

    def expected(self) -> bytes | None:
        """Returns the AttrValue that protobuf's own parser reads, None if it refuses the text."""
        is_list = self.type.startswith("list(")
        name = _FIELDS[self.type.removeprefix("list(").removesuffix(")")]
        text = f"{name}: {self.text}"
        value = attr_value_pb2.AttrValue()
        try:
            text_format.Parse(f"list {{ {text} }}" if is_list else text, value)
        except text_format.ParseError:
            return None
        return value.SerializeToString(deterministic=True)


@st.composite
def _texts(draw: Callable[[Any], Any]) -> _Text:
    """Random values of attributes, as text in one of its styles."""
    name = draw(st.sampled_from(sorted(_FIELDS)))
    is_list = draw(st.booleans())
    style = {key: draw(st.booleans()) for key in _STYLES}
    field = attr_value_pb2.AttrValue.DESCRIPTOR.fields_by_name[_FIELDS[name]]
    texts = []
    for _ in range(draw(st.integers(1, 3)) if is_list else 1):
        value = attr_value_pb2.AttrValue()
        _set_field(value, field, draw, 0)
        printed = text_format.MessageToString(value, **style)
        texts.append(printed.strip().removeprefix(field.name).removeprefix(":").strip())
    separator = draw(st.sampled_from([",", ", ", " ,\n", " # a comment\n, "]))
    return (
        _Text(f"list({name})", f"[{separator.join(texts)}]") if is_list else _Text(name, texts[0])
    )


@st.composite
def _damaged_texts(draw: Callable[[Any], Any]) -> _Text:
    """Texts with one part missing, twice, or replaced."""
    value = draw(_texts())
    start = draw(st.integers(0, len(value.text) - 1))
    end = draw(st.integers(start, min(start + 8, len(value.text))))
    part = value.text[start:end]
    replacement = draw(st.sampled_from(["", part + part, *"{}<>[]:,'\"\\-0a# "]))
    return _Text(value.type, value.text[:start] + replacement + value.text[end:])


@pytest.fixture(name="program", scope="module")
def _program() -> Path:
    (program,) = published.of("shared").files("//attr_values:parse")
    return program


def _parsed(program: Path, texts: Sequence[_Text]) -> list[bytes | None]:
    """Returns the AttrValue that the runtime reads for each text, None if it refuses the text."""
    encoded = [(text.type, text.text.encode()) for text in texts]
    given = b"".join(f"{kind} {len(text)}\n".encode() + text for kind, text in encoded)
    done = subprocess.run([program], check=True, input=given, capture_output=True, timeout=60)
    output = io.BytesIO(done.stdout)
    found: list[bytes | None] = []
    for _ in texts:
        size = int(output.readline())
        found.append(None if size < 0 else _canonical(output.read(size)))
    return found


def _canonical(value: bytes) -> bytes:
    return attr_value_pb2.AttrValue.FromString(value).SerializeToString(deterministic=True)


def test_texts_are_parsed_as_by_protobuf(program: Path) -> None:
    texts = seeded_examples.drawn(_texts(), _EXAMPLES, frozen.SEED)
    for text, found in zip(texts, _parsed(program, texts), strict=True):
        assert (text, found) == (text, text.expected())
        assert found is not None


def test_damaged_texts(program: Path) -> None:
    """Protobuf's parser accepts more: what the runtime accepts has the same value there."""
    texts = seeded_examples.drawn(_damaged_texts(), _EXAMPLES, frozen.SEED)
    found = _parsed(program, texts)
    for text, value in zip(texts, found, strict=True):
        if value is not None:
            assert (text, value) == (text, text.expected())
    refused = found.count(None)
    assert _EXAMPLES / 4 < refused < _EXAMPLES


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        ("int", ""),
        ("int", "9223372036854775808"),
        ("int", "1 2"),
        ("int", "007"),
        ("int", "[1]"),
        ("bool", "yes"),
        ("float", '"1"'),
        ("type", "DT_NONE"),
        ("string", '"a'),
        ("string", "a"),
        ("list(int)", "1"),
        ("list(int)", "[1"),
        ("list(int)", "[1,]"),
        ("list(int)", "[1] i: [2"),
        ("shape", "{ dim { size: 1 } "),
        ("shape", "{ dim { size: 1 } >"),
        ("shape", "{ unknown_rank: true unknown_rank: true }"),
        ("shape", "{ rank: 1 }"),
        ("shape", "1"),
        ("tensor", "{ dtype: DT_INT32 dtype: DT_INT32 }"),
        ("func", '{ name: "f" attr { key: "a" } }'),
        ("func", '{ attr { key: "a" value { i: 1 f: 1 } } }'),
        ("func", '{ attr { key: "a" value { ' * 101 + "i: 1" + "} } }" * 101),
        ("number", "1"),
    ],
)
def test_invalid_text(kind: str, text: str, program: Path) -> None:
    assert _parsed(program, [_Text(kind, text)]) == [None]


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        ("int", " -1 # a comment\n"),
        ("bool", "True"),
        ("type", "DT_FLOAT"),
        ("type", "-7"),
        ("string", r"'\001\n\''"),
        ("shape", "<dim: <size: 2>>"),
        ("list(int)", "[]"),
        ("list(type)", "[ DT_FLOAT , 3 ]"),
        ("func", '{ attr { key: "a" value { list { } } } }'),
    ],
)
def test_valid_text(kind: str, text: str, program: Path) -> None:
    given = _Text(kind, text)
    assert given.expected() is not None
    assert _parsed(program, [given]) == [given.expected()]
