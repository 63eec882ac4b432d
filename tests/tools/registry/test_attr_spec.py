"""Tests of parsing attribute and argument specifications of ops."""

from typing import Any

import pytest

from tfcarve.op_definition import Argument, Attr
from tfcarve.registry.attr_spec import SpecError, argument, attr

_SETS = {
    "NumberTypes": ("float32", "int32"),
    "QuantizedTypes": ("qint8",),
    "RealNumberTypes": ("float32",),
}


@pytest.mark.parametrize(
    ("spec", "expected"),
    [
        ("T: type", ("T", Attr("type"))),
        ("T : type = DT_FLOAT", ("T", Attr("type", "float32"))),
        ("T: numbertype", ("T", Attr("type", None, ("float32", "int32")))),
        ("T: quantizedtype", ("T", Attr("type", None, ("qint8",)))),
        ("T: realnumbertype = DT_FLOAT", ("T", Attr("type", "float32", ("float32",)))),
        ("T: {half, bool, }", ("T", Attr("type", None, ("float16", "bool")))),
        ("T: {realnumbertype, bool}", ("T", Attr("type", None, ("float32", "bool")))),
        ("s: {'A', \"B\"} = 'A'", ("s", Attr("string", "A", ("A", "B")))),
        ("s: string = ''", ("s", Attr("string", ""))),
        (r"s: string = '\t'", ("s", Attr("string", "\t"))),
        ("n: int >= -1 = 3", ("n", Attr("int", 3, (), -1))),
        ("x: float = 1e-3", ("x", Attr("float", 0.001))),
        ("x: float = inf", ("x", Attr("float", "inf"))),
        ("b: bool = True", ("b", Attr("bool", True))),
        ("L: list(type) >= 1", ("L", Attr("list(type)", None, (), 1))),
        ("L: list(int) = [1, 2]", ("L", Attr("list(int)", (1, 2)))),
        ("L: list(string) = ['a', 'b']", ("L", Attr("list(string)", ("a", "b")))),
        ("L: list({float, int32}) = []", ("L", Attr("list(type)", (), ("float32", "int32")))),
        ("s: shape = { unknown_rank: true }", ("s", Attr("shape", "{ unknown_rank: true }"))),
        ("s: list(shape) = []", ("s", Attr("list(shape)", "[]"))),
        ("f: func", ("f", Attr("func"))),
    ],
)
def test_attr(spec: str, expected: Any) -> None:
    assert attr(spec, _SETS) == expected


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("T", "expected '<name>:'"),
        ("T: wrong", "expected a type"),
        ("T: {wrong}", "unknown type 'wrong'"),
        ("T: {!}", "expected a type"),
        ("T: {float bool}", "expected ',' or '}'"),
        ("T: type left", "unexpected text: 'left'"),
        ("T: type = DT_WRONG", "unknown type 'DT_WRONG'"),
        ("T: list(type", r"expected '\)'"),
        ("L: list(int) = 3", "expected a list in brackets"),
        ("s: string = a", "expected a string"),
        ("s: string = 'a", "unterminated string"),
        ("b: bool = 3", "expected true or false"),
        ("n: int >= " + "1" * 5_000, "unexpected text: '1111"),
    ],
)
def test_malformed_attr(spec: str, message: str) -> None:
    with pytest.raises(SpecError, match=message):
        attr(spec, _SETS)


_ATTRS = {"T": Attr("type"), "L": Attr("list(type)"), "N": Attr("int")}


@pytest.mark.parametrize(
    ("spec", "expected"),
    [
        ("x: float", Argument("x", "float32")),
        ("x: T", Argument("x", type_attr="T")),
        ("x: L", Argument("x", type_list_attr="L")),
        ("x: N * T", Argument("x", type_attr="T", number_attr="N")),
        ("x: N*int32", Argument("x", "int32", number_attr="N")),
        ("x: Ref(T)", Argument("x", type_attr="T", ref=True)),
    ],
)
def test_argument(spec: str, expected: Argument) -> None:
    assert argument(spec, _ATTRS) == expected


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("x", "expected 'name: type'"),
        ("x: U", "unknown attribute 'U'"),
        ("x: Ref(T", "brackets of Ref"),
    ],
)
def test_malformed_argument(spec: str, message: str) -> None:
    with pytest.raises(SpecError, match=message):
        argument(spec, _ATTRS)


def test_too_long_specification() -> None:
    assert attr("s: string" + " " * 60_000, {}) == ("s", Attr("string"))
    with pytest.raises(SpecError, match="70009 characters, at most 65536 are allowed"):
        attr("s: string" + " " * 70_000, {})
