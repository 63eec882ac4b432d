"""Tests of reading TensorFlow ops in TensorFlow Lite models."""

import struct

import flat
import protos
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tfcarve.models import tflite
from tfcarve.models.flatbuffer import FlatError
from tfcarve.models.node_use import AttrValue

_ADD = protos.node("sum", "Add", {"T": protos.type_value("float32")})
_MODEL = flat.model(
    ["", "FlexAdd", "Mine"], [(1, flat.flex_options(b"Add", _ADD)), (0, b""), (2, b"x")]
)


def test_flex_ops() -> None:
    (use,) = tflite.flex_ops(_MODEL, "m.tflite")
    assert (use.op, use.node, use.attrs) == ("Add", "sum", {"T": AttrValue("type", "float32")})


def test_a_node_without_a_name() -> None:
    options = flat.flex_options(b"Add", protos.node("", "Add"))
    (use,) = tflite.flex_ops(flat.model(["FlexAdd"], [(0, options)]), "m")
    assert use.node == "operator 0 of subgraph 0 (FlexAdd)"


@pytest.mark.parametrize(
    "data", [flat.model([], []), flat.model([], [], 0), flat.model(["Mine"], [(0, b"")])]
)
def test_no_flex_ops(data: bytes) -> None:
    assert not tflite.flex_ops(data, "m")


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "not a TensorFlow Lite model"),
        (b"\0\0\0\0NOPE", "not a TensorFlow Lite model"),
        (b"\xff\xff\xff\xffTFL3", "outside the file"),
        (flat.model(["FlexAdd"], [(7, b"")]), "operator 0 of subgraph 0: unknown operator code 7"),
        (flat.model(["FlexAdd"], [(0, b"")]), "the options have less than three bytes"),
        (flat.model(["FlexAdd"], [(0, b"abc")]), "the options are not a list"),
        (
            flat.model(["FlexAdd"], [(0, flat.flex_options(b"Add"))]),
            "its custom options have no NodeDef",
        ),
        (flat.model(["FlexAdd"], [(0, flat.flex_options(b"Add", b"\xff"))]), "have no NodeDef"),
        (
            flat.model(["FlexAdd"], [(0, flat.flex_options(b"Add", protos.data(1, "n")))]),
            "has no op",
        ),
        (
            flat.model(["FlexAdd"], [(0, flat.flex_options(b"", _ADD))]),
            "has the name '' but a node of the op 'Add'",
        ),
    ],
)
def test_invalid(data: bytes, message: str) -> None:
    with pytest.raises(FlatError, match=message):
        tflite.flex_ops(data, "m")


def test_parts_that_refer_to_the_same_bytes() -> None:
    """A file of three thousand operators that share one large definition is refused early."""
    large = protos.node("sum", "Add", {"a": protos.string_value("x" * 100_000)})
    data = bytearray(
        flat.model(["FlexAdd"], [(0, b"")] * 3000 + [(0, flat.flex_options(b"Add", large))])
    )

    def follow(place: int) -> int:
        return place + int(struct.unpack_from("<I", data, place)[0])

    graph = follow(follow(follow(0) + 12) + 4)
    operators = follow(graph + 16) + 4
    last = follow(operators + 4 * 3000)
    for place in range(operators, operators + 4 * 3000, 4):
        struct.pack_into("<I", data, place, last - place)
    with pytest.raises(FlatError, match="many parts refer to the same bytes"):
        tflite.flex_ops(bytes(data), "m")


@given(
    st.lists(
        st.tuples(st.integers(0, len(_MODEL) - 1), st.integers(0, 255)), min_size=1, max_size=8
    )
)
def test_damaged_anywhere(changes: list[tuple[int, int]]) -> None:
    damaged = bytearray(_MODEL)
    for place, byte in changes:
        damaged[place] = byte
    try:
        tflite.flex_ops(bytes(damaged), "m")
    except FlatError as error:
        assert str(error)


@given(st.integers(0, len(_MODEL) - 1))
def test_truncated_anywhere(length: int) -> None:
    try:
        tflite.flex_ops(_MODEL[:length], "m")
    except FlatError as error:
        assert str(error)
