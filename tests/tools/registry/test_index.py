"""Tests of the index's JSON form."""

import json
from typing import Any

import pytest

from tfcarve.errors import InvalidInput
from tfcarve.registry import index
from tfcarve.registry.attr_spec import Argument, Attr
from tfcarve.registry.index import (
    Gradient,
    KernelIndex,
    OpDefinition,
    Registration,
    TensorflowFacts,
    Unresolved,
)

_INDEX = KernelIndex(
    TensorflowFacts("2.14.1", "ab", ("A", "B=1")),
    (
        Registration(
            "Add", "CPU", (("T", ("float32", "int32")),), (("f", ("NHWC", True, 3)),), "l", 2, ("x",), True, "Op<A, b>", "k.cc", 3
        ),
    ),
    (
        OpDefinition(
            "Add", "o.cc", 4, True, True,
            (Attr("T", "type", "float32", ("float32",), None), Attr("n", "int", 1, (), 1)),
            (Argument("x", type_attr="T", number_attr="n"),),
            (Argument("y", "float32", ref=True),),
        ),
    ),
    (Gradient("Add", "AddGrad", "g.cc", 5),),
    {"k.cc": ("h.cc",)},
    (Unresolved("u.cc", 6, "why"),),
)  # fmt: skip


def test_round_trip() -> None:
    data = _INDEX.to_json()
    loaded = index.parse(data, "i.json")
    assert loaded.load() == _INDEX
    assert loaded.load().to_json() == data


def test_what_an_index_file_tells() -> None:
    loaded = index.parse(_INDEX.to_json(), "i.json")
    assert loaded.op_names() == loaded.kernel_op_names() == ("Add",)
    assert loaded.op("Add") == _INDEX.ops[0]
    assert loaded.op("Sub") is None
    assert loaded.registrations("Add") == _INDEX.registrations
    assert loaded.registrations("Sub") == ()


def test_extended() -> None:
    loaded = index.parse(_INDEX.to_json(), "i.json")
    more = loaded.extended(
        _INDEX.registrations, [OpDefinition("New", "n.cc", 1, False, False, (), (), ())], []
    )
    assert more.registrations("Add") == _INDEX.registrations * 2
    assert more.op_names() == ("Add", "New")
    assert loaded.op_names() == ("Add",)


def _changed(**changes: Any) -> bytes:
    return json.dumps({**json.loads(_INDEX.to_json()), **changes}).encode()


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "no index.json"),
        (b"[]", "an object was expected"),
        (b"{}", "index of version None"),
        (_changed(version=2), "index of version 2, this tfcarve reads version 1"),
        (_changed(extra=1), "unknown key 'extra': known are"),
        (_changed(tensorflow={"wrong": 1}), "\"tensorflow\": unknown key 'wrong'"),
        (_changed(registrations=3), "no index.json"),
        (_changed(registrations=[{"op": 3}]), "an op's name is no string"),
        (_changed(gradients=[{"op": 3}]), "'op': a string was expected, not 3"),
        (_changed(gradients=[{"op": "A"}]), "gradient: key 'file' is missing"),
        (_changed(helpers={"a.cc": 3}), "'a.cc': a list was expected, not 3"),
        (b"[" * 100_000, "no index.json"),
    ],
)
def test_wrong_index(data: bytes, message: str) -> None:
    with pytest.raises(InvalidInput, match=message):
        index.parse(data, "i.json")


def test_wrong_rows() -> None:
    row = json.loads(_INDEX.to_json())["registrations"][0]
    loaded = index.parse(_changed(registrations=[{**row, "extra": 1}]), "i.json")
    with pytest.raises(InvalidInput, match="i.json: registration: unknown key 'extra'"):
        loaded.registrations("Add")
    row.pop("class")
    loaded = index.parse(_changed(registrations=[row]), "i.json")
    with pytest.raises(InvalidInput, match="i.json: registration: key 'class' is missing"):
        loaded.registrations("Add")
    op = json.loads(_INDEX.to_json())["ops"][0]
    cases: list[tuple[dict[str, Any], str]] = [
        ({"extra": 1}, "op: unknown key"),
        ({"attrs": {"T": {"extra": 1}}}, "attr T: unknown key"),
        ({"inputs": [{"extra": 1}]}, "argument: unknown key"),
        ({"inputs": [{}]}, "argument: key 'name' is missing"),
        ({"inputs": 3}, "'inputs': a list was expected, not 3"),
        ({"line": "x"}, "'line': a number was expected, not 'x'"),
    ]
    for part, message in cases:
        loaded = index.parse(_changed(ops=[{**op, **part}]), "i.json")
        with pytest.raises(InvalidInput, match=message):
            loaded.op("Add")
