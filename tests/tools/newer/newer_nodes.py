"""Nodes as TensorFlow 2.21 writes them, in messages of the installed TensorFlow."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

from google.protobuf import text_format
from tensorflow.core.framework import attr_value_pb2
from tensorflow.core.protobuf import meta_graph_pb2
from tensorflow.python.framework import op_def_registry

from tfcarve import dtypes
from tfcarve.newer.data import NewAttribute

_FILE = Path(__file__).with_name("nodes_of_2_21.pbtxt")
_FIELDS = {"bool": "b", "float": "f", "int": "i", "string": "s", "type": "type"}
# Values of each type that are no default.
OTHER = {"bool": True, "float": 0.5, "int": 7, "string": "IGNORE", "type": "int64"}


@cache
def _meta_graph() -> Any:
    return text_format.Parse(_FILE.read_text(), meta_graph_pb2.MetaGraphDef())


def definitions() -> Any:
    """The OpList of 2.21 for the ops in `graph`, without inputs and outputs."""
    return _meta_graph().meta_info_def.stripped_op_list


def graph() -> Any:
    """A copy of a GraphDef with a node for each new attribute that 2.21 has; one node is in a function."""
    found = type(_meta_graph().graph_def)()
    found.CopyFrom(_meta_graph().graph_def)
    return found


def value(kind: str, content: Any) -> Any:
    """An AttrValue."""
    if kind == "type":
        content = dtypes.NUMBER_OF[content]
    if kind == "string":
        content = content.encode()
    return attr_value_pb2.AttrValue(**{_FIELDS[kind]: content})


def graph_of(row: NewAttribute, content: Any) -> Any:
    """A GraphDef with a node that has a new attribute with a value, and no other attribute that is new.

    Releases between 2.14 and 2.21 had attributes that 2.21 does not have; they are added to its node.
    """
    whole = graph()
    (node,) = (node for node in whole.node if node.op == row.op)
    known = {attr.name for attr in op_def_registry.get(row.op).attr}
    for name in set(node.attr) - known:
        del node.attr[name]
    node.attr[row.attribute].CopyFrom(value(row.type, content))
    return whole
