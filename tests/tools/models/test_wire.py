"""Tests of the wire format."""

import protos
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tfcarve.models import wire
from tfcarve.models.wire import WireError


@given(st.integers(0, 2**64 - 1))
def test_varint(value: int) -> None:
    encoded = protos.varint(value)
    assert wire.varint(encoded, 0, len(encoded)) == (value, len(encoded))


@given(st.integers(-(2**63), 2**63 - 1))
def test_signed(value: int) -> None:
    encoded = protos.varint(value)
    assert wire.signed(wire.varint(encoded, 0, len(encoded))[0]) == value


def test_fields() -> None:
    data = protos.number(1, 300) + protos.data(2, "ab") + b"\x19" + bytes(7) + b"\x01\x25\x02\0\0\0"
    assert list(wire.fields(data, 0, len(data))) == [
        (1, wire.VARINT, 300, 0),
        (2, wire.BYTES, 5, 7),
        (3, wire.FIXED64, 1 << 56, 0),
        (4, wire.FIXED32, 2, 0),
    ]


def test_fields_of_one_number() -> None:
    """Only those of the right wire type count."""
    data = b"".join(
        (
            protos.number(1, 5),
            protos.data(1, "ab"),
            protos.data(2, "c"),
            protos.number(1, 7),
            protos.data(1, ""),
        )
    )
    region = (0, len(data))
    assert [data[a:b] for a, b in wire.contents(data, region, 1)] == [b"ab", b""]
    assert wire.last_varint(data, region, 1) == 7
    assert wire.last_varint(data, (0, 2), 1) == 5
    assert list(wire.contents(data, region, 3)) == [] and wire.last_varint(data, region, 2) == 0


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"\x08", "ends inside a varint"),
        (b"\x08\x80", "ends inside a varint"),
        (b"\x08" + b"\xff" * 11, "a varint of more than 10 bytes"),
        (b"\x0a\x05abc", "field 1 has 5 bytes, but only 3 remain"),
        (b"\x0a\xff\xff\xff\xff\x7f", "but only 0 remain"),
        (b"\x09abc", "field 1 is truncated"),
        (b"\x0dabc", "field 1 is truncated"),
        (b"\x0b", "wire type 3"),
        (b"\x00", "field number 0"),
    ],
)
def test_not_a_message(data: bytes, message: str) -> None:
    region = (0, len(data))
    for read in (
        lambda: list(wire.fields(data, *region)),
        lambda: list(wire.contents(data, region, 7)),
        lambda: wire.last_varint(data, region, 7),
    ):
        with pytest.raises(WireError, match=message):
            read()


def test_text() -> None:
    assert wire.text("hä".encode(), 0, 3) == "hä"
    with pytest.raises(WireError, match="not UTF-8"):
        wire.text(b"\xff", 0, 1)


@given(st.binary(max_size=200))
def test_any_bytes_give_fields_or_an_error(data: bytes) -> None:
    try:
        for number, kind, a, b in wire.fields(data, 0, len(data)):
            assert number > 0
            if kind == wire.BYTES:
                assert 0 <= a <= b <= len(data)
    except WireError:
        pass
