"""Tests of the types that nodes return: those of all ops, as TensorFlow's graph has them."""

from __future__ import annotations

import random
import re
from typing import Any

import pytest
import tensorflow as tf
import tensorflow_ops
from msgspec.structs import replace
from tensorflow.core.framework import attr_value_pb2

from tfcarve import dtypes
from tfcarve.models import graph_def
from tfcarve.models.node_use import AttrValue, Function, Model, NodeUse
from tfcarve.op_definition import Argument, Attr
from tfcarve.registry.index import OpDefinition
from tfcarve.releases import known, output_types
from tfcarve.validity.op_types import OpTypes, of_model
from tfcarve.validity.signatures import outputs

_RELEASE = known.release()
_ROWS = output_types.by_op(_RELEASE)
_TYPES = ("float32", "int32", "int64", "string", "bool", "float64", "uint8", "float16")
# Ops that the wheel has and a library cannot have: of oneDNN, of TensorFlow Lite, of MLIR.
_ONEDNN = re.compile(r"_+Mkl|_FusedQuantized|_FusedConv3D|_QuantizedMaxPool3D|QuantizedConcatV2")
_OTHERS = {"AudioMicrofrontend", "TfLiteSubgraphExecute", "CustomAggregator", "MlirPassthroughOp"}


def _ops() -> list[OpDefinition]:
    """Returns TensorFlow's ops, without those that a library cannot have."""
    listed = tensorflow_ops.definitions().values()
    return [op for op in listed if not _ONEDNN.match(op.name) and op.name not in _OTHERS]


def test_the_file_has_all_ops() -> None:
    assert [op.name for op in _ops() if op.name not in _ROWS] == []
    for op in _ops():
        named = {n for a in op.outputs for n in (a.type_attr, a.number_attr, a.type_list_attr)}
        attrs = {n: Attr(a.type, a.default) for n, a in op.attrs.items() if n in named}
        expected = (tuple(replace(a, name="") for a in op.outputs), dict(sorted(attrs.items())))
        row = _ROWS[op.name]
        command = output_types.update_command(_RELEASE.name)
        assert (row.outputs, row.attrs) == expected, f"{op.name}: run {command}"


def _drawn(attr: Attr, chance: random.Random) -> Any:
    """Returns a value of an attribute."""
    value = attr_value_pb2.AttrValue()
    allowed = [name for name in attr.allowed or _TYPES if name in dtypes.NUMBER_OF]
    number = dtypes.NUMBER_OF[chance.choice(allowed)] if allowed else 1
    match attr.type:
        case "type":
            value.type = number
        case "list(type)":
            value.list.type.extend([number] * chance.randint(max(attr.minimum or 0, 1), 3))
        case "int":
            value.i = max(attr.minimum or 0, chance.randint(1, 3))
        case "string":
            value.s = (attr.allowed[0] if attr.allowed else "x").encode()
        case "bool":
            value.b = chance.random() < 0.5
        case "float":
            value.f = 0.5
        case "shape":
            value.shape.unknown_rank = True
        case "tensor":
            value.tensor.CopyFrom(tf.make_tensor_proto(1.0))
        case _:
            value.list.SetInParent()
    return value


def _imported(op: OpDefinition, chance: random.Random) -> tuple[Any, NodeUse] | None:
    """Returns a node in TensorFlow's graph, and as tfcarve reads it; None if TensorFlow wants other attributes."""
    graph = tf.compat.v1.GraphDef()
    node = graph.node.add(name="node", op=op.name)
    for name, attr in op.attrs.items():
        if attr.default is None or (attr.type == "type" and chance.random() < 0.5):
            node.attr[name].CopyFrom(_drawn(attr, chance))
    data = node.SerializeToString()
    use = graph_def.node(data, 0, len(data), "m", "")
    inputs = outputs(replace(op, outputs=op.inputs), use.attrs)
    for name in (name for each in inputs for name in each.types * each.times):
        assert name
        base = name.removesuffix("_ref")
        source = graph.node.add(
            name=f"x{len(node.input)}", op="VariableV2" if name != base else "Placeholder"
        )
        source.attr["dtype"].type = dtypes.NUMBER_OF[base]
        if name != base:
            source.attr["shape"].shape.SetInParent()
        node.input.append(source.name)
    with tf.Graph().as_default() as imported:
        try:
            tf.import_graph_def(graph, name="")
        except (ValueError, tf.errors.OpError):
            return None
        return imported.get_operation_by_name("node"), use


def test_types_of_all_ops() -> None:
    chance = random.Random(0)
    compared = 0
    for op in _ops():
        found = _imported(op, chance)
        if found is None:
            continue
        compared += 1
        theirs, use = found
        ours = [
            name for each in outputs(_ROWS[op.name], use.attrs) for name in each.types * each.times
        ]
        assert ours == [dtypes.from_number(t.dtype.as_datatype_enum) for t in theirs.outputs], (
            op.name
        )
        first = ours[0].removesuffix("_ref") if ours and ours[0] else ""
        assert OpTypes(_ROWS.get, {}).dtype(use) == first
    assert compared > 1_200, "the others have attributes that are not drawn here"


def _node(op: str, **attrs: AttrValue) -> NodeUse:
    return NodeUse("m", "", "n", op, "", attrs)


_FLOAT = AttrValue("type", "float32")


@pytest.mark.parametrize(
    ("use", "dtype"),
    [
        (_node("ArgMax", T=_FLOAT), "int64"),
        (_node("ArgMax", T=_FLOAT, output_type=AttrValue("type", "int32")), "int32"),
        (_node("Equal", T=_FLOAT), "bool"),
        (_node("Relu", T=_FLOAT), "float32"),
        (_node("Split", T=_FLOAT, num_split=AttrValue("int", 2**31 - 1)), "float32"),
        (_node("Split", T=_FLOAT), ""),  # an attribute is missing
        (_node("Relu", T=AttrValue("placeholder", "T")), ""),  # the caller of a function decides it
        (_node("VariableV2", dtype=_FLOAT), "float32"),
        (_node("NoOp"), ""),
        (_node("Mine", T=_FLOAT), ""),  # a custom op: its definition is unknown
        (_node("F", T=_FLOAT), "string"),
    ],
)
def test_types(use: NodeUse, dtype: str) -> None:
    function = Function((), (Argument("y", "string"),))
    model = Model("m", lambda: "", "graphdef", (use,), {"F": function})
    assert of_model(model, _RELEASE).dtype(use) == dtype


@pytest.mark.parametrize(
    ("op", "returns"),
    [("Relu", True), ("Mine", True), ("NoOp", False), ("SaveV2", False), ("Assign", False)],
)
def test_ops_that_return_values(op: str, returns: bool) -> None:
    model = Model("m", lambda: "", "graphdef", ())
    assert of_model(model, _RELEASE).returns_values(_node(op, T=_FLOAT)) == returns
