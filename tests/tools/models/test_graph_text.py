"""Tests of reading graphs in text form."""

from typing import Any

import pytest

from tfcarve.models import graph_text, text_format
from tfcarve.models.node_use import AttrValue, NodeUse
from tfcarve.models.text_format import TextError


def _nodes(text: str) -> list[NodeUse]:
    return graph_text.graph(text_format.parse(text), "m.pbtxt")[0]


@pytest.mark.parametrize(
    ("value", "kind", "expected"),
    [
        ("type: DT_FLOAT", "type", "float32"),
        ("type: 3", "type", "int32"),
        ("type: DT_WRONG", "type", "DataType(DT_WRONG)"),
        ('s: "SAME"', "string", "SAME"),
        ("i: -3", "int", -3),
        ("b: true", "bool", True),
        ("f: 1.5", "other", None),
        ('func { name: "f" }', "func", "f"),
        ('placeholder: "T"', "placeholder", "T"),
        ("list { type: [DT_FLOAT, DT_BOOL] }", "list(type)", ("float32", "bool")),
        ('list { s: "a" s: "b" }', "list(string)", ("a", "b")),
        ('list { func { name: "f" } }', "list(func)", ("f",)),
        ("list { }", "list()", ()),
        ("list { f: 1 }", "other", None),
        ("tensor { dtype: DT_INT32 tensor_shape { dim { size: 2 } } }", "tensor", ("int32", (2,))),
        ("shape { dim { size: -1 } dim { } }", "shape", (-1, 0)),
        ("shape { unknown_rank: true }", "shape", None),
        ("", "unset", None),
    ],
)
def test_attr(value: str, kind: str, expected: Any) -> None:
    nodes = _nodes(f'node {{ name: "n" op: "Op" attr {{ key: "a" value {{ {value} }} }} }}')
    assert nodes[0].attrs == {"a": AttrValue(kind, expected)}


def test_functions() -> None:
    text = """node { name: "y" op: "F" device: "/cpu:0" input: "x" }
    library { function { signature { name: "F" } node_def { name: "i" op: "Relu" }
      ret { key: "r" value: "i:out:0" } } }"""
    nodes, functions = graph_text.graph(text_format.parse(text), "m")
    assert nodes == [
        NodeUse("m", "", "y", "F", "/cpu:0", {}, ("x",)),
        NodeUse("m", "F", "i", "Relu", "", {}),
    ]
    assert functions == {"F": ("i",)}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('node { name: "n" }', "node 'n': '' is no name of an op"),
        (
            'node { name: "n" op: "Op" attr { key: "a" value { i: x } } }',
            "node 'n': attribute 'a': a whole number",
        ),
    ],
)
def test_wrong(text: str, message: str) -> None:
    with pytest.raises(TextError, match=message):
        _nodes(text)


@pytest.mark.parametrize(
    ("text", "kind", "tags"),
    [
        ("node { }", "graphdef", [()]),
        ("graph_def { } ", "meta_graph", [()]),
        (
            'meta_graphs { meta_info_def { tags: "serve" tags: "gpu" } graph_def { } }',
            "saved_model",
            [("serve", "gpu")],
        ),
        ("meta_graphs { }", "saved_model", []),
    ],
)
def test_graphs(text: str, kind: str, tags: list[tuple[str, ...]]) -> None:
    found_kind, found = graph_text.graphs(text_format.parse(text))
    assert (found_kind, [f.tags for f in found]) == (kind, tags)


def test_a_tensors_values_are_not_kept() -> None:
    text = """node { name: "c" op: "Const" attr { key: "value" value { tensor {
      dtype: DT_FLOAT tensor_shape { dim { size: 2 } } float_val: 1 float_val: 2 tensor_content: "x" } } } }"""
    message = graph_text.parse(text)
    (value,) = message.messages("node")[0].messages("attr")[0].messages("value")
    assert [name for name, _ in value.messages("tensor")[0].fields] == ["dtype", "tensor_shape"]
    (use,) = graph_text.graph(message, "m")[0]
    assert use.attrs["value"] == AttrValue("tensor", ("float32", (2,)))
