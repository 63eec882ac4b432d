"""Converts GraphDef, MetaGraphDef and SavedModel from text form (.pbtxt) to binary form.

Source of the field names and numbers: tensorflow/core/framework/{graph,node_def,attr_value,function,op_def,
tensor,tensor_shape}.proto, tensorflow/core/protobuf/{meta_graph,saved_model}.proto.
"""

from tfcarve import dtypes
from tfcarve.models.text_format import Field, Fields, first_name, to_wire
from tfcarve.models.wire import Buffer

SUFFIXES = (".pbtxt", ".prototxt", ".textproto")


def _data_type(text: str) -> int | None:
    if text == "DT_INVALID":
        return 0
    name = dtypes.from_enum(text)
    if name is None:
        return None
    base = name.removesuffix("_ref")
    return dtypes.NUMBER_OF[base] + (dtypes.REF_OFFSET if base != name else 0)


def _text(number: int) -> Field:
    return Field(number, "string")


def _message(number: int, fields: Fields) -> Field:
    return Field(number, "message", fields)


def _type(number: int) -> Field:
    return Field(number, "enum", enum=_data_type)


_SHAPE = {
    b"dim": _message(2, {b"size": Field(1, "int")}),
    b"unknown_rank": Field(3, "bool"),
}
# Without a tensor's values: kernels are not chosen by them, and they are most of a file.
_TENSOR = {b"dtype": _type(1), b"tensor_shape": _message(2, _SHAPE)}
_FUNC = {b"name": _text(1)}
_SCALARS = {
    b"s": Field(2, "start"),
    b"i": Field(3, "int"),
    b"f": Field(4, "float"),
    b"b": Field(5, "bool"),
    b"type": _type(6),
}
_LIST = {
    **_SCALARS,
    b"shape": Field(7, "shell"),
    b"tensor": Field(8, "shell"),
    b"func": _message(9, _FUNC),
}
_VALUE = {
    **_SCALARS,
    b"list": _message(1, _LIST),
    b"shape": _message(7, _SHAPE),
    b"tensor": _message(8, _TENSOR),
    b"placeholder": _text(9),
    b"func": _message(10, _FUNC),
}
_NODE = {
    b"name": _text(1),
    b"op": _text(2),
    b"input": _text(3),
    b"device": _text(4),
    b"attr": _message(5, {b"key": _text(1), b"value": _message(2, _VALUE)}),
}
_FUNCTION = {
    b"signature": _message(1, _FUNC),
    b"node_def": _message(3, _NODE),
    b"ret": _message(4, {b"key": _text(1), b"value": _text(2)}),
}
_GRAPH = {
    b"node": _message(1, _NODE),
    b"library": _message(2, {b"function": _message(1, _FUNCTION)}),
}
_SPARSE = {
    b"values_tensor_name": _text(1),
    b"indices_tensor_name": _text(2),
    b"dense_shape_tensor_name": _text(3),
}
# The components of a composite tensor are TensorInfos too.
_COMPONENTS: dict[bytes, Field] = {}
_TENSOR_INFO = {
    b"name": _text(1),
    b"dtype": _type(2),
    b"tensor_shape": _message(3, _SHAPE),
    b"coo_sparse": _message(4, _SPARSE),
    b"composite_tensor": _message(5, _COMPONENTS),
}
_COMPONENTS[b"components"] = _message(2, _TENSOR_INFO)
_TENSORS = {b"key": _text(1), b"value": _message(2, _TENSOR_INFO)}
_SIGNATURE = {b"inputs": _message(1, _TENSORS), b"outputs": _message(2, _TENSORS)}
_META_GRAPH = {
    b"meta_info_def": _message(1, {b"tags": _text(4)}),
    b"graph_def": _message(2, _GRAPH),
    b"signature_def": _message(5, {b"key": _text(1), b"value": _message(2, _SIGNATURE)}),
}
_SAVED_MODEL = {
    b"saved_model_schema_version": Field(1, "int"),
    b"meta_graphs": _message(2, _META_GRAPH),
}
_KINDS = {"graphdef": _GRAPH, "meta_graph": _META_GRAPH, "saved_model": _SAVED_MODEL}
# The three messages have no field name in common. These fields show the kind and are not converted.
_META_GRAPH_ONLY = (
    "asset_file_def",
    "collection_def",
    "object_graph_def",
    "saver_def",
)


def to_binary(data: Buffer) -> tuple[str, bytes]:
    """Converts a text.

    Returns:
      The message's kind (graphdef, meta_graph or saved_model), and the fields that tfcarve reads, in binary form.

    Raises:
      text_format.TextError: the text is not one of these messages.
    """
    name = first_name(data)
    kind = "graphdef"
    if name in _META_GRAPH_ONLY or name.encode() in _META_GRAPH:
        kind = "meta_graph"
    elif name.encode() in _SAVED_MODEL:
        kind = "saved_model"
    return kind, to_wire(data, _KINDS[kind])
