"""Tests of decoding and encoding JSON documents."""

from collections.abc import Mapping
from typing import Any

import msgspec
import pytest

from tfcarve.errors import InvalidInput
from tfcarve.json_codec import JsonDocument, convert, decode, decode_version, encode, encode_rows


class _Row(JsonDocument, frozen=True):
    name: str
    line: int = 0


class _Document(JsonDocument, frozen=True, tag_field="version", tag=2):
    rows: tuple[_Row, ...]
    more: Mapping[str, float] = {}


_VALUE = _Document((_Row("a", 1), _Row("é")), {"b": 1e-5, "a": 2.0})


def test_round_trip() -> None:
    for data in (encode(_VALUE), encode_rows(_VALUE)):
        assert decode(data, _Document, "d") == _VALUE
        assert decode_version(data, _Document, "d", 2, "") == _VALUE


def test_layouts() -> None:
    assert encode(_Document((_Row("a"),), {"b": 1.0, "a": 2.0})).decode() == (
        '{\n "version": 2,\n "rows": [\n  {\n   "name": "a",\n   "line": 0\n  }\n ],\n'
        ' "more": {\n  "a": 2.0,\n  "b": 1.0\n }\n}\n'
    )
    assert encode_rows(_VALUE).decode() == (
        '{\n"version": 2,\n"rows": [\n {"name":"a","line":1},\n {"name":"é","line":0}\n],\n'
        '"more": {"b":1e-05,"a":2.0}\n}\n'
    )


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "d: Input data was truncated"),
        (b"{", "d: Input data was truncated"),
        (b'{"rows": []} x', "d: JSON is malformed: trailing characters (byte 14)"),
        (b"3", "d: Expected `object`, got `int`"),
        (b'{"rows": [], "extra": 1}', "d: Object contains unknown field `extra`"),
        (b"{}", "d: Object missing required field `rows`"),
        (b'{"rows": {}}', "d: Expected `array`, got `object` - at `$.rows`"),
        (b'{"rows": [{"name": null}]}', "d: Expected `str`, got `null` - at `$.rows[0].name`"),
        (b'{"rows": [{"name": "a", "line": true}]}', "d: Expected `int`, got `bool` - at `$.rows[0].line`"),
        (b'{"rows": [{"name": "a", "line": 1.5}]}', "d: Expected `int`, got `float` - at `$.rows[0].line`"),
        (b'{"rows": [{"name": "\xff"}]}', "d: 'utf-8' codec can't decode byte 0xff"),
        (b'{"rows": [{"name": "\\ud800"}], "more": {}}', "d: JSON is malformed: unexpected end of escaped utf-16 surrogate pair"),
        (b'{"version": 1, "rows": []}', "d: Invalid value 1 - at `$.version`"),
    ],
)  # fmt: skip
def test_invalid_documents(data: bytes, message: str) -> None:
    with pytest.raises(InvalidInput) as caught:
        decode(data, _Document, "d")
    assert str(caught.value).startswith(message)


@pytest.mark.parametrize(
    ("data", "found"),
    [(b'{"rows": []}', None), (b'{"version": 3}', 3), (b'{"version": "2", "rows": []}', "'2'")],
)
def test_other_versions(data: bytes, found: object) -> None:
    with pytest.raises(InvalidInput) as caught:
        decode_version(data, _Document, "d", 2, "create it again")
    assert str(caught.value) == (
        f"d: version {found} is not supported: this tfcarve reads version 2: create it again"
    )


def test_deep_nesting() -> None:
    with pytest.raises(InvalidInput, match="d: nested too deeply"):
        decode(b"[" * 100_000 + b"]" * 100_000, object, "d")


@pytest.mark.parametrize("tiny", [b"[]", b"{}", b'{"a":1}', b"[1]"])
def test_documents_of_tiny_values(tiny: bytes) -> None:
    assert len(decode(b"[" + (tiny + b",") * 20_000 + b"1]", list[Any], "d")) == 20_001
    with pytest.raises(
        InvalidInput, match="d: [0-9,]+ bytes: too many small values: damaged, or crafted"
    ):
        decode(b"[" + (tiny + b",") * 1_000_000 + b"1]", list[Any], "d")


def test_convert() -> None:
    assert convert({"rows": [{"name": "a"}]}, _Document, "d.yaml") == _Document((_Row("a"),))
    with pytest.raises(
        InvalidInput, match=r"d.yaml: Expected `str`, got `int` - at `\$.rows\[0\].name`"
    ):
        convert({"rows": [{"name": 1}]}, _Document, "d.yaml")
    with pytest.raises(InvalidInput, match="d.yaml: Expected `object`, got `null`"):
        convert(None, _Document, "d.yaml")


def test_schema() -> None:
    schema = msgspec.json.schema(_Document)["$defs"]["_Document"]
    assert schema["additionalProperties"] is False
    assert schema["required"] == ["version", "rows"]
