"""Op definitions as data. tests/tools/registry/test_wheel.py compares all of TensorFlow's."""

import pytest

from tfcarve.emit.op_definition import encoded
from tfcarve.errors import InvalidInput
from tfcarve.op_definition import Attr, Value
from tfcarve.prepare.graph.messages import OpDef
from tfcarve.registry.index import OpDefinition


def _default(kind: str, value: Value) -> str:
    op = OpDefinition("Op", "ops.cc", 1, attrs={"a": Attr(kind, default=value)})
    (attr,) = OpDef.FromString(encoded(op)).attr
    return " ".join(str(attr.default_value).split())


@pytest.mark.parametrize(
    ("kind", "value", "text"),
    [
        ("int", -1, "i: -1"),
        ("string", "", 's: ""'),
        ("list(string)", ("é",), 'list { s: "\\303\\251" }'),
        ("list(int)", (), "list { }"),
        ("shape", "{}", "shape { }"),
        ("shape", "{ unknown_rank: true }", "shape { unknown_rank: true }"),
        ("list(shape)", "[]", "list { }"),
        (
            "list(shape)",
            "[{}, { dim { size: -1 } }]",
            "list { shape { } shape { dim { size: -1 } } }",
        ),
        ("tensor", "{ dtype: DT_INT32 int_val: 7 }", "tensor { dtype: DT_INT32 int_val: 7 }"),
    ],
)
def test_default_values(kind: str, value: Value, text: str) -> None:
    assert _default(kind, value) == text


@pytest.mark.parametrize("value", ["{ dim }", "{ other: 1 }", "{"])
def test_a_default_value_that_cannot_be_stored(value: str) -> None:
    with pytest.raises(InvalidInput, match="op 'Op': the default value of 'a'"):
        _default("shape", value)
