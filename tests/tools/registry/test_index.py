"""Tests of the kernel index and its JSON form."""

import json
from typing import Any

import pytest
from msgspec.structs import replace

from tfcarve.errors import InvalidInput
from tfcarve.op_definition import Argument, Attr
from tfcarve.registry import index
from tfcarve.registry.index import (
    Gradient,
    KernelIndex,
    OpDefinition,
    Registration,
    TensorflowFacts,
    Unresolved,
)

_REGISTRATION = Registration(
    op="Add",
    device="CPU",
    constraints={"T": ("float32", "int32")},
    attr_constraints={"f": ("NHWC", True, 3)},
    label="l",
    priority=2,
    host_memory=("x",),
    system=True,
    clazz="Op<A, b>",
    file="k.cc",
    line=3,
)
_INDEX = KernelIndex(
    TensorflowFacts("2.14.1", "ab", ("A", "B=1")),
    (_REGISTRATION,),
    (
        OpDefinition(
            "Add", "o.cc", 4, True, True,
            {"T": Attr("type", "float32", ("float32",), None), "L": Attr("list(int)", (1, 2), (), 1)},
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
    assert index.parse(data, "i.json") == _INDEX
    assert index.parse(data, "i.json").to_json() == data


def test_layout() -> None:
    assert _INDEX.to_json().decode() == """\
{
"version": 1,
"tensorflow": {"version":"2.14.1","tree_sha256":"ab","defines":["A","B=1"]},
"registrations": [
 {"op":"Add","device":"CPU","constraints":{"T":["float32","int32"]},"attr_constraints":{"f":["NHWC",true,3]},"label":"l",\
"priority":2,"host_memory":["x"],"system":true,"class":"Op<A, b>","file":"k.cc","line":3}
],
"ops": [
 {"name":"Add","file":"o.cc","line":4,"system":true,"stateful":true,"attrs":{"T":{"type":"type","default":"float32",\
"allowed":["float32"]},"L":{"type":"list(int)","default":[1,2],"minimum":1}},"inputs":[{"name":"x","type_attr":"T",\
"number_attr":"n"}],"outputs":[{"name":"y","type":"float32","ref":true}],"deprecation":null}
],
"gradients": [
 {"op":"Add","function":"AddGrad","file":"g.cc","line":5,"ops":[]}
],
"helpers": {"k.cc":["h.cc"]},
"unresolved": [
 {"file":"u.cc","line":6,"why":"why"}
]
}
"""  # fmt: skip


def test_target() -> None:
    facts = replace(_INDEX.tensorflow, target="arm64")
    data = replace(_INDEX, tensorflow=facts).to_json()
    assert b'"defines":["A","B=1"],"target":"arm64"}' in data
    assert index.parse(data, "i.json").tensorflow == facts


def test_lookups() -> None:
    loaded = index.parse(_INDEX.to_json(), "i.json")
    assert loaded.op_names() == ("Add",)
    assert loaded.op("Add") == _INDEX.ops[0]
    assert loaded.op("Sub") is None
    assert loaded.registrations_of("Add") == _INDEX.registrations
    assert loaded.registrations_of("Sub") == ()


def test_equal_registrations_have_equal_hashes() -> None:
    assert len({_REGISTRATION, replace(_REGISTRATION), replace(_REGISTRATION, constraints={})}) == 2


def test_extended() -> None:
    new = OpDefinition("New", "n.cc", 1)
    other = OpDefinition("Add", "n.cc", 2)
    more = _INDEX.extended(_INDEX.registrations, [new, other], [])
    assert more.registrations_of("Add") == _INDEX.registrations * 2
    assert more.ops == (other, new)
    assert _INDEX.op_names() == ("Add",)


def _changed(**changes: Any) -> bytes:
    return json.dumps({**json.loads(_INDEX.to_json()), **changes}).encode()


def _changed_row(key: str, **changes: Any) -> bytes:
    (row,) = json.loads(_INDEX.to_json())[key]
    return _changed(**{key: [{k: v for k, v in {**row, **changes}.items() if v is not None}]})


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "i.json: Input data was truncated"),
        (b"[]", "i.json: Expected `object`, got `array`"),
        (b"{}", "i.json: version None is not supported: this tfcarve reads version 1: create it again"),
        (_changed(version=2), "i.json: version 2 is not supported: this tfcarve reads version 1: create it again"),
        (_changed(extra=1), "i.json: Object contains unknown field `extra`"),
        (_changed(tensorflow={"wrong": 1}), "unknown field `wrong` - at `$.tensorflow`"),
        (_changed(tensorflow={"version": "1"}), "missing required field `tree_sha256` - at `$.tensorflow`"),
        (_changed(registrations=3), "Expected `array`, got `int` - at `$.registrations`"),
        (_changed(registrations=[{"op": 3}]), "Expected `str`, got `int` - at `$.registrations[0].op`"),
        (_changed_row("registrations", extra=1), "unknown field `extra` - at `$.registrations[0]`"),
        (_changed_row("registrations", **{"class": None}), "missing required field `class` - at `$.registrations[0]`"),
        (_changed_row("registrations", line=True), "Expected `int`, got `bool` - at `$.registrations[0].line`"),
        (_changed_row("registrations", constraints={"T": [3]}), "Expected `str`, got `int` - at `$.registrations[0].constraints"),
        (_changed_row("ops", extra=1), "unknown field `extra` - at `$.ops[0]`"),
        (_changed_row("ops", attrs={"T": {"extra": 1}}), "unknown field `extra` - at `$.ops[0].attrs[...]`"),
        (_changed_row("ops", attrs={"T": {}}), "missing required field `type` - at `$.ops[0].attrs[...]`"),
        (_changed_row("ops", inputs=[{"extra": 1}]), "unknown field `extra` - at `$.ops[0].inputs[0]`"),
        (_changed_row("ops", inputs=[{}]), "missing required field `name` - at `$.ops[0].inputs[0]`"),
        (_changed_row("ops", inputs=3), "Expected `array`, got `int` - at `$.ops[0].inputs`"),
        (_changed_row("ops", line="x"), "Expected `int`, got `str` - at `$.ops[0].line`"),
        (_changed(gradients=[{"op": 3}]), "Expected `str`, got `int` - at `$.gradients[0].op`"),
        (_changed(gradients=[{"op": "A"}]), "missing required field `function` - at `$.gradients[0]`"),
        (_changed(helpers={"a.cc": 3}), "Expected `array`, got `int` - at `$.helpers[...]`"),
        (b"[" * 100_000, "i.json: Expected `object`, got `array`"),
    ],
)  # fmt: skip
def test_invalid_index(data: bytes, message: str) -> None:
    with pytest.raises(InvalidInput) as caught:
        index.parse(data, "i.json")
    assert message in str(caught.value)
