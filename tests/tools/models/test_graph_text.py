"""Tests of graphs in text form: they are converted to binary form and read from it."""

from typing import Any

import pytest
from google.protobuf import text_format as protobufs
from hypothesis import given
from hypothesis import strategies as st

from tfcarve.models import graph_def, graph_text, meta_graph
from tfcarve.models.node_use import AttrValue, Function, NodeUse
from tfcarve.models.text_format import Message, TextError
from tfcarve.models.wire import Budget, WireError
from tfcarve.op_definition import Argument, Attr


def _graph(text: str) -> graph_def.Graph:
    kind, binary = graph_text.to_binary(text.encode())
    assert kind == "graphdef"
    return graph_def.graph(binary, 0, len(binary), "m.pbtxt", Budget(len(binary)))


def _nodes(text: str) -> list[NodeUse]:
    return list(_graph(text).nodes)


@pytest.mark.parametrize(
    ("value", "kind", "expected"),
    [
        ("type: DT_FLOAT", "type", "float32"),
        ("type: 3", "type", "int32"),
        ("type: 77", "type", "DataType(77)"),
        ("type: DT_FLOAT_REF", "type", "float32_ref"),
        ('s: "SAME"', "string", "SAME"),
        ("i: -3", "int", -3),
        ("b: true", "bool", True),
        ("f: 1.5", "float", None),
        ('func { name: "f" }', "func", "f"),
        ('placeholder: "T"', "placeholder", "T"),
        ("list { type: [DT_FLOAT, DT_BOOL] }", "list(type)", ("float32", "bool")),
        ('list { s: "a" s: "b" }', "list(string)", ("a", "b")),
        ('list { func { name: "f" } }', "list(func)", ("f",)),
        ("list { }", "list()", ()),
        ("list { f: 1 }", "list(float)", (None,)),
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
    library { function {
      signature { name: "F"
        input_arg { name: "x" type_attr: "T" is_ref: true } input_arg { name: "l" number_attr: "N" type: DT_INT32 }
        output_arg { name: "z" type_list_attr: "L" description: "what" }
        attr { name: "T" type: "type" default_value { type: DT_FLOAT } } attr { name: "s" type: "shape" default_value { shape { } } }
        attr { name: "N" type: "int" has_minimum: true minimum: 1 } }
      node_def { name: "i" op: "Relu" }
      ret { key: "z" value: "i:activations:0" } } }
    versions { producer: 1286 min_consumer: 12 }"""
    read = _graph(text)
    assert read.versions.producer == 1286
    assert list(read.nodes) == [
        NodeUse("m.pbtxt", "", "y", "F", "/cpu:0", {}, ("x",)),
        NodeUse("m.pbtxt", "F", "i", "Relu", "", {}),
    ]
    assert read.functions == {
        "F": Function(
            (Argument("x", type_attr="T", ref=True), Argument("l", "int32", number_attr="N")),
            (Argument("z", type_list_attr="L"),),
            {"T": Attr("type", "float32"), "s": Attr("shape", ()), "N": Attr("int")},
            {"z": "i:activations:0"},
        )
    }


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('node { name: "n" }', "node 'n': has no op"),
        (
            'node {\n name: "n" op: "Op" attr { key: "a" value { i: x } } }',
            "line 2: an integer was expected, not 'x'",
        ),
        (
            'node { name: "n" op: "Op" attr { key: "a" value { type: DT_WRONG } } }',
            "an enumerator was expected, not 'DT_WRONG'",
        ),
    ],
)
def test_invalid(text: str, message: str) -> None:
    with pytest.raises((TextError, WireError), match=message):
        _nodes(text)


_GRAPH = 'node { name: "n" op: "Op" }'


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("", "graphdef"),
        (_GRAPH, "graphdef"),
        ("versions { producer: 1 } " + _GRAPH, "graphdef"),
        (f"graph_def {{ {_GRAPH} }}", "meta_graph"),
        (f'saver_def {{ }} graph_def {{ {_GRAPH} }} meta_info_def {{ tags: "t" }}', "meta_graph"),
        (f"meta_graphs {{ graph_def {{ {_GRAPH} }} }}", "saved_model"),
        ("saved_model_schema_version: 1 meta_graphs { }", "saved_model"),
    ],
)
def test_kinds(text: str, kind: str) -> None:
    assert graph_text.kind_of(text.encode()) == kind
    assert graph_text.to_binary(text.encode())[0] == kind


def test_only_the_first_field_determines_the_kind() -> None:
    assert graph_text.kind_of(b"# comment\nmeta_graphs { damaged") == "saved_model"
    assert graph_text.kind_of(b"unknown: 1 meta_graphs { }") == "graphdef"
    with pytest.raises(TextError, match="line 1: a field name was expected, not '{'"):
        graph_text.kind_of(b"{ }")


_SAVED_MODEL = """
saved_model_schema_version: 1
meta_graphs {
  meta_info_def { tags: "serve" tags: "gpu" stripped_default_attrs: true }
  graph_def { node { name: "x" op: "Placeholder" } node { name: "y" op: "Relu" input: "x" } versions { producer: 9 } }
  signature_def {
    key: "serving_default"
    value {
      inputs { key: "a" value { name: "x:0" dtype: DT_FLOAT tensor_shape { } } }
      outputs { key: "s" value { coo_sparse { values_tensor_name: "y:0" indices_tensor_name: "i:0" } } }
      outputs { key: "c" value { composite_tensor { components { name: "p:0" } components { composite_tensor {
        components { name: "q:0" } } } } } }
      method_name: "m"
    }
  }
}
"""


def test_saved_model() -> None:
    kind, binary = graph_text.to_binary(_SAVED_MODEL.encode())
    assert kind == "saved_model" and meta_graph.is_saved_model(binary)
    budget = Budget(len(binary))
    (found,) = meta_graph.saved_model(binary, budget)
    assert found.tags == ("serve", "gpu")
    nodes = graph_def.graph(binary, *found.graph, "m", budget).nodes
    assert [(use.node, use.op, use.inputs) for use in nodes] == [
        ("x", "Placeholder", ()),
        ("y", "Relu", ("x",)),
    ]
    signature = found.signatures["serving_default"]
    assert signature.input_nodes() == {"x"}
    assert [(t.dtype, t.shape) for t in signature.inputs] == [("float32", ())]
    assert signature.output_nodes() == {"y", "i", "p", "q"}


def test_tensor_values_are_not_converted() -> None:
    text = """node { name: "c" op: "Const" attr { key: "value" value { tensor {
      dtype: DT_FLOAT tensor_shape { dim { size: 2 } } float_val: 1 float_val: 2 tensor_content: "xyz" } } } }"""
    _, binary = graph_text.to_binary(text.encode())
    assert b"xyz" not in binary
    (use,) = _nodes(text)
    assert use.attrs["value"] == AttrValue("tensor", ("float32", (2,)))


_NAMES = st.text(min_size=1, max_size=6)
_VALUES = st.one_of(
    st.integers(-(2**63), 2**63 - 1).map(lambda i: {"i": i}),
    st.binary(max_size=8).map(lambda s: {"s": s}),
    st.booleans().map(lambda b: {"b": b}),
    st.sampled_from([1, 3, 20, 101, 123]).map(lambda t: {"type": t}),
    st.floats(width=32).map(lambda f: {"f": f}),
    st.lists(st.integers(-1, 9), max_size=3).map(
        lambda dims: {"shape": {"dim": [{"size": d} for d in dims]}}
    ),
    _NAMES.map(lambda name: {"func": {"name": name}}),
    _NAMES.map(lambda name: {"placeholder": name}),
    st.lists(st.sampled_from([1, 3, 9]), max_size=3).map(lambda types: {"list": {"type": types}}),
    st.lists(st.binary(max_size=3), max_size=3).map(lambda texts: {"list": {"s": texts}}),
)


@given(
    st.lists(
        st.tuples(_NAMES, st.lists(_NAMES, max_size=3), st.dictionaries(_NAMES, _VALUES, max_size=3)),
        max_size=3,
    )
)  # fmt: skip
def test_as_protobuf_writes_it(nodes: list[tuple[str, list[str], dict[str, Any]]]) -> None:
    """Both forms that TensorFlow's classes write are read as the same nodes."""
    from tensorflow.core.framework import attr_value_pb2, graph_pb2

    graph = graph_pb2.GraphDef()
    for name, inputs, attrs in nodes:
        node = graph.node.add(name=name, op="Op", input=inputs)
        for key, value in attrs.items():
            node.attr[key].CopyFrom(attr_value_pb2.AttrValue(**value))
    binary = graph.SerializeToString()
    expected = list(graph_def.graph(binary, 0, len(binary), "m.pbtxt", Budget(len(binary))).nodes)
    assert _nodes(protobufs.MessageToString(graph)) == expected
    assert _nodes(protobufs.MessageToString(graph, as_one_line=True, as_utf8=True)) == expected
    short = protobufs.MessageToString(
        graph, use_short_repeated_primitives=True, pointy_brackets=True
    )
    assert _nodes(short) == expected


def _check(message: Message, descriptor: Any, checked: set[str]) -> None:
    """Checks that a table lists the fields that TensorFlow's message has, with their numbers, recursively."""
    names = {name.decode() for name in (*message.fields, *message.skipped)}
    assert names == set(descriptor.fields_by_name), message.name
    if message.name in checked:
        return
    if not descriptor.GetOptions().map_entry:
        assert message.name == descriptor.name
        checked.add(message.name)
    for name, field in message.fields.items():
        known = descriptor.fields_by_name[name.decode()]
        assert field.number == known.number
        if field.message is not None:
            _check(field.message, known.message_type, checked)


def test_fields_are_tensorflows() -> None:
    from tensorflow.core.framework import graph_pb2
    from tensorflow.core.protobuf import meta_graph_pb2, saved_model_pb2

    checked: set[str] = set()
    found = (graph_pb2.GraphDef, meta_graph_pb2.MetaGraphDef, saved_model_pb2.SavedModel)
    for message, theirs in zip(graph_text.MESSAGES.values(), found, strict=True):
        _check(message, theirs.DESCRIPTOR, checked)
    assert {"NodeDef", "AttrValue", "TensorProto", "OpDef", "SignatureDef"} < checked


def test_a_field_that_tensorflow_does_not_know() -> None:
    text = 'node {\n  name: "r"\n  opType: "Relu"\n}\n'
    with pytest.raises(TextError, match="line 3, column 3: NodeDef has no field 'opType'"):
        graph_text.to_binary(text.encode())
