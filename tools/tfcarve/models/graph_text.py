"""Converts GraphDef, MetaGraphDef and SavedModel from text form (.pbtxt, .pb.txt) to binary form.

Source of the field names and numbers: tensorflow/core/framework/{graph,node_def,attr_value,function,op_def,
tensor,tensor_shape,versions}.proto, tensorflow/core/protobuf/{meta_graph,saved_model}.proto.
"""

from pathlib import Path

from tfcarve import dtypes
from tfcarve.models.text_format import Field, Message, first_name, to_wire
from tfcarve.models.wire import Buffer

_SUFFIXES = (".pb.txt", ".pbtxt", ".prototxt", ".textproto")


def has_name(path: Path) -> bool:
    """Returns whether a file is a graph in text form, according to its name."""
    return path.name.lower().endswith(_SUFFIXES)


def data_type(text: str) -> int | None:
    """Returns the number of an enumerator of DataType, or None if it is unknown."""
    if text == "DT_INVALID":
        return 0
    name = dtypes.from_enum(text)
    if name is None:
        return None
    base = name.removesuffix("_ref")
    return dtypes.NUMBER_OF[base] + (dtypes.REF_OFFSET if base != name else 0)


def _text(number: int) -> Field:
    return Field(number, "string")


def _message(number: int, message: Message) -> Field:
    return Field(number, "message", message)


def _type(number: int) -> Field:
    return Field(number, "enum", enum=data_type)


def _entry(value: Field) -> Message:
    """Returns the message of an entry of a map from strings."""
    return Message("map entry", {b"key": _text(1), b"value": value})


def _names(text: str) -> frozenset[bytes]:
    return frozenset(text.encode().split())


SHAPE = Message(
    "TensorShapeProto",
    {
        b"dim": _message(2, Message("Dim", {b"size": Field(1, "int")}, _names("name"))),
        b"unknown_rank": Field(3, "bool"),
    },
)
# Without a tensor's values: kernels are not chosen by them, and they are most of a file.
_TENSOR = Message(
    "TensorProto",
    {b"dtype": _type(1), b"tensor_shape": _message(2, SHAPE)},
    _names(
        "bool_val dcomplex_val double_val float8_val float_val half_val int64_val int_val resource_handle_val "
        "scomplex_val string_val tensor_content uint32_val uint64_val variant_val version_number"
    ),
)
_FUNC = Message("NameAttrList", {b"name": _text(1)}, _names("attr"))
_SCALARS = {
    b"s": Field(2, "start"),
    b"i": Field(3, "int"),
    b"f": Field(4, "float"),
    b"b": Field(5, "bool"),
    b"type": _type(6),
}
_LIST = Message(
    "ListValue",
    {
        **_SCALARS,
        b"shape": Field(7, "shell"),
        b"tensor": Field(8, "shell"),
        b"func": _message(9, _FUNC),
    },
)
_VALUE = Message(
    "AttrValue",
    {
        **_SCALARS,
        b"list": _message(1, _LIST),
        b"shape": _message(7, SHAPE),
        b"tensor": _message(8, _TENSOR),
        b"placeholder": _text(9),
        b"func": _message(10, _FUNC),
    },
)
_NODE = Message(
    "NodeDef",
    {
        b"name": _text(1),
        b"op": _text(2),
        b"input": _text(3),
        b"device": _text(4),
        b"attr": _message(5, _entry(_message(2, _VALUE))),
    },
    _names("experimental_debug_info experimental_type"),
)
_ARGUMENT = Message(
    "ArgDef",
    {
        b"name": _text(1),
        b"type": _type(3),
        b"type_attr": _text(4),
        b"number_attr": _text(5),
        b"type_list_attr": _text(6),
        b"is_ref": Field(16, "bool"),
    },
    _names("description experimental_full_type handle_data"),
)
_ATTR = Message(
    "AttrDef",
    {b"name": _text(1), b"type": _text(2), b"default_value": _message(3, _VALUE)},
    _names("allowed_values description has_minimum minimum"),
)
_OP = Message(
    "OpDef",
    {
        b"name": _text(1),
        b"input_arg": _message(2, _ARGUMENT),
        b"output_arg": _message(3, _ARGUMENT),
        b"attr": _message(4, _ATTR),
    },
    _names(
        "allows_uninitialized_input control_output deprecation description is_aggregate is_commutative "
        "is_distributed_communication is_stateful summary"
    ),
)
_FUNCTION = Message(
    "FunctionDef",
    {
        b"signature": _message(1, _OP),
        b"node_def": _message(3, _NODE),
        b"ret": _message(4, _entry(_text(2))),
    },
    _names("arg_attr attr control_ret resource_arg_unique_id"),
)
_LIBRARY = Message(
    "FunctionDefLibrary",
    {b"function": _message(1, _FUNCTION)},
    _names("gradient registered_gradients"),
)
_VERSIONS = Message(
    "VersionDef",
    {
        b"producer": Field(1, "int"),
        b"min_consumer": Field(2, "int"),
        b"bad_consumers": Field(3, "int"),
    },
)
_GRAPH = Message(
    "GraphDef",
    {
        b"node": _message(1, _NODE),
        b"library": _message(2, _LIBRARY),
        b"versions": _message(4, _VERSIONS),
    },
    _names("debug_info version"),
)
_SPARSE = Message(
    "CooSparse",
    {
        b"values_tensor_name": _text(1),
        b"indices_tensor_name": _text(2),
        b"dense_shape_tensor_name": _text(3),
    },
)
# The components of a composite tensor are TensorInfos too.
_COMPONENTS: dict[bytes, Field] = {}
_TENSOR_INFO = Message(
    "TensorInfo",
    {
        b"name": _text(1),
        b"dtype": _type(2),
        b"tensor_shape": _message(3, SHAPE),
        b"coo_sparse": _message(4, _SPARSE),
        b"composite_tensor": _message(
            5, Message("CompositeTensor", _COMPONENTS, _names("type_spec"))
        ),
    },
)
_COMPONENTS[b"components"] = _message(2, _TENSOR_INFO)
_TENSORS = _entry(_message(2, _TENSOR_INFO))
_SIGNATURE = Message(
    "SignatureDef",
    {b"inputs": _message(1, _TENSORS), b"outputs": _message(2, _TENSORS)},
    _names("defaults method_name"),
)
_META_INFO = Message(
    "MetaInfoDef",
    {b"tags": _text(4)},
    _names(
        "any_info function_aliases meta_graph_version stripped_default_attrs stripped_op_list tensorflow_git_version "
        "tensorflow_version"
    ),
)
_META_GRAPH = Message(
    "MetaGraphDef",
    {
        b"meta_info_def": _message(1, _META_INFO),
        b"graph_def": _message(2, _GRAPH),
        b"signature_def": _message(5, _entry(_message(2, _SIGNATURE))),
    },
    # Each of these fields shows that a text is a MetaGraphDef: the three kinds of messages have no field name in common.
    _names("asset_file_def collection_def object_graph_def saver_def"),
)
_SAVED_MODEL = Message(
    "SavedModel",
    {
        b"saved_model_schema_version": Field(1, "int"),
        b"meta_graphs": _message(2, _META_GRAPH),
    },
)
# By tfcarve's names of the formats.
MESSAGES = {"graphdef": _GRAPH, "meta_graph": _META_GRAPH, "saved_model": _SAVED_MODEL}


def kind_of(data: Buffer) -> str:
    """Returns the kind of a message (graphdef, meta_graph or saved_model) by its first field; graphdef if the field is unknown.

    Raises:
      text_format.TextError: the text does not start with a field.
    """
    name = first_name(data).encode()
    found = (
        k for k, message in MESSAGES.items() if name in message.fields or name in message.skipped
    )
    return next(found, "graphdef")


def to_binary(data: Buffer) -> tuple[str, bytes]:
    """Converts a text.

    Returns:
      The message's kind (see kind_of), and the fields that tfcarve reads, in binary form.

    Raises:
      text_format.TextError: the text is not one of these messages, or has a field that TensorFlow does not know.
    """
    kind = kind_of(data)
    return kind, to_wire(data, MESSAGES[kind])
