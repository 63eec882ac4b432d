"""Writes nodes_of_2_21.pbtxt: a node for each new attribute that TensorFlow 2.21 has, with the definitions of their ops.

    PYTHONPATH=tools PYTHON tests/tools/newer/write_nodes.py

in the repository's root, with a Python that has TensorFlow 2.21 and msgspec and pyyaml. The nodes are written by TensorFlow: it
fills in the default values of all attributes.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import tensorflow as tf
from google.protobuf import text_format
from tensorflow.core.framework import attr_value_pb2, types_pb2
from tensorflow.python.framework import op_def_registry

from tfcarve.newer import data
from tfcarve.releases import known

_OUTPUT = Path(__file__).with_name("nodes_of_2_21.pbtxt")
_FLOAT = types_pb2.DT_FLOAT


def _value(attr: Any, function: str) -> Any:
    """Returns a value for an attribute without a default."""
    value = attr_value_pb2.AttrValue()
    kind = attr.type.removeprefix("list(").removesuffix(")")
    if kind == "type":
        allowed = attr.allowed_values.list.type
        one: Any = _FLOAT if not allowed or _FLOAT in allowed else allowed[0]
    elif kind == "int":
        one = max(attr.minimum, 1)
    elif kind == "string":
        allowed = attr.allowed_values.list.s
        one = allowed[0] if allowed else b"x"
    elif kind == "bool":
        one = False
    elif kind == "func":
        one = attr_value_pb2.NameAttrList(name=function)
    elif kind == "shape":
        one = tf.TensorShape([2]).as_proto()
    else:
        raise ValueError(attr)
    field = {
        "type": "type",
        "int": "i",
        "string": "s",
        "bool": "b",
        "func": "func",
        "shape": "shape",
    }
    into = value.list if attr.type.startswith("list(") else value
    name = field[kind]
    if into is value.list:
        getattr(into, name).extend([one] * max(attr.minimum, 1))
    elif kind in ("func", "shape"):
        getattr(into, name).CopyFrom(one)
    else:
        setattr(into, name, one)
    return value


def _input(number: int, is_ref: bool) -> Any:
    dtype = tf.as_dtype(number)
    if is_ref:
        return tf.raw_ops.VariableV2(shape=[2], dtype=dtype)
    return tf.raw_ops.Placeholder(dtype=dtype)


def _inputs(op: Any, attrs: dict[str, Any]) -> list[Any]:
    found = []
    for argument in op.input_arg:
        types = list(attrs[argument.type_list_attr].list.type) if argument.type_list_attr else []
        if not types:
            number = attrs[argument.type_attr].type if argument.type_attr else argument.type
            types = [number] * (attrs[argument.number_attr].i if argument.number_attr else 1)
        found += [_input(number, argument.is_ref) for number in types]
    return found


def _add(name: str, graph: Any, function: str) -> None:
    op = op_def_registry.get(name)
    attrs = {
        attr.name: attr.default_value if attr.HasField("default_value") else _value(attr, function)
        for attr in op.attr
    }
    graph.create_op(name, _inputs(op, attrs), name=name.lstrip("_"), attrs=attrs)


def _text(definitions: Any, graph: Any) -> str:
    """Returns a MetaGraphDef as text, with a line for each op, node and function."""
    for op in definitions.op:
        for field in ("input_arg", "output_arg"):
            op.ClearField(field)
        for attr in op.attr:
            attr.ClearField("allowed_values")
    return "\n".join(
        (
            "meta_info_def { stripped_op_list {",
            *(f"op {{ {_line(op)} }}" for op in definitions.op),
            "} }",
            "graph_def {",
            *(f"node {{ {_line(node)} }}" for node in graph.node),
            *(f"library {{ function {{ {_line(f)} }} }}" for f in graph.library.function),
            f"versions {{ {_line(graph.versions)} }}",
            "}\n",
        )
    )


def _line(message: Any) -> str:
    return str(text_format.MessageToString(message, as_one_line=True))


def main() -> None:
    """Writes the file."""

    @tf.function(input_signature=[tf.TensorSpec([2, 2]), tf.TensorSpec([2, 2])])
    def product(a: Any, b: Any) -> Any:
        return tf.matmul(a, b)

    concrete = product.get_concrete_function()
    with tf.Graph().as_default() as graph:
        concrete.add_to_graph()
        for name, rows in data.load(known.release()).attributes.items():
            op = op_def_registry.get(name)
            if op is not None and {attr.name for attr in op.attr} & rows.keys():
                _add(name, graph, concrete.name)
        meta_graph = tf.compat.v1.train.export_meta_graph(graph=graph)
        definitions = meta_graph.meta_info_def.stripped_op_list
        _OUTPUT.write_text(_text(definitions, graph.as_graph_def()))


if __name__ == "__main__":
    main()
