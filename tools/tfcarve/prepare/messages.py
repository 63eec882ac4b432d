"""TensorFlow's messages as protobuf classes in a private descriptor pool, without importing tensorflow.

Source of the names and numbers: tensorflow/core/framework/{attr_value,function,full_type,graph,graph_debug_info,
node_def,op_def,resource_handle,tensor,tensor_shape,types,variant,versions}.proto. Fields that are not
declared here are preserved as unknown fields. The types are in messages.pyi.
"""

from typing import Any

from google.protobuf import descriptor_pb2, descriptor_pool, message_factory

from tfcarve import dtypes

_Field = descriptor_pb2.FieldDescriptorProto
_PACKAGE = "tfcarve"
_SCALARS = {
    "bool": _Field.TYPE_BOOL,
    "bytes": _Field.TYPE_BYTES,
    "double": _Field.TYPE_DOUBLE,
    "float": _Field.TYPE_FLOAT,
    "int32": _Field.TYPE_INT32,
    "int64": _Field.TYPE_INT64,
    "string": _Field.TYPE_STRING,
    "uint32": _Field.TYPE_UINT32,
    "uint64": _Field.TYPE_UINT64,
}

# Each field: name, number, type. `*` is repeated, `|` is in the message's oneof, `{K}` is a map with key type K.
_MESSAGES = {
    "Dim": "size 1 int64, name 2 string",
    "TensorShapeProto": "dim 2 *Dim, unknown_rank 3 bool",
    "TensorProto": (
        "dtype 1 DataType, tensor_shape 2 TensorShapeProto, version_number 3 int32, tensor_content 4 bytes, "
        "float_val 5 *float, double_val 6 *double, int_val 7 *int32, string_val 8 *bytes, scomplex_val 9 *float, "
        "int64_val 10 *int64, bool_val 11 *bool, dcomplex_val 12 *double, half_val 13 *int32, "
        "uint32_val 16 *uint32, uint64_val 17 *uint64, float8_val 18 bytes"
    ),
    "ListValue": (
        "s 2 *bytes, i 3 *int64, f 4 *float, b 5 *bool, type 6 *DataType, shape 7 *TensorShapeProto, "
        "tensor 8 *TensorProto, func 9 *NameAttrList"
    ),
    "AttrValue": (
        "list 1 |ListValue, s 2 |bytes, i 3 |int64, f 4 |float, b 5 |bool, type 6 |DataType, "
        "shape 7 |TensorShapeProto, tensor 8 |TensorProto, placeholder 9 |string, func 10 |NameAttrList"
    ),
    "NameAttrList": "name 1 string, attr 2 {string}AttrValue",
    "DebugInfo": "original_node_names 1 *string, original_func_names 2 *string",
    "FullTypeDef": "type_id 1 int32, args 2 *FullTypeDef, s 3 |string, i 4 |int64",
    "NodeDef": (
        "name 1 string, op 2 string, input 3 *string, device 4 string, attr 5 {string}AttrValue, "
        "experimental_debug_info 6 DebugInfo, experimental_type 7 FullTypeDef"
    ),
    "ArgDef": (
        "name 1 string, description 2 string, type 3 DataType, type_attr 4 string, number_attr 5 string, "
        "type_list_attr 6 string, is_ref 16 bool, experimental_full_type 17 FullTypeDef"
    ),
    "AttrDef": (
        "name 1 string, type 2 string, default_value 3 AttrValue, description 4 string, has_minimum 5 bool, "
        "minimum 6 int64, allowed_values 7 AttrValue"
    ),
    "OpDeprecation": "version 1 int32, explanation 2 string",
    "OpDef": (
        "name 1 string, input_arg 2 *ArgDef, output_arg 3 *ArgDef, control_output 20 *string, attr 4 *AttrDef, "
        "deprecation 8 OpDeprecation, summary 5 string, description 6 string, is_commutative 18 bool, "
        "is_aggregate 16 bool, is_stateful 17 bool, allows_uninitialized_input 19 bool, "
        "is_distributed_communication 21 bool"
    ),
    "OpList": "op 1 *OpDef",
    "ArgAttrs": "attr 1 {string}AttrValue",
    "FunctionDef": (
        "signature 1 OpDef, node_def 3 *NodeDef, ret 4 {string}string, attr 5 {string}AttrValue, "
        "control_ret 6 {string}string, arg_attr 7 {uint32}ArgAttrs, resource_arg_unique_id 8 {uint32}uint32"
    ),
    "GradientDef": "function_name 1 string, gradient_func 2 string",
    "RegisteredGradient": "gradient_func 1 string, registered_op_type 2 string",
    "FunctionDefLibrary": (
        "function 1 *FunctionDef, gradient 2 *GradientDef, registered_gradients 3 *RegisteredGradient"
    ),
    "VersionDef": "producer 1 int32, min_consumer 2 int32, bad_consumers 3 *int32",
    "GraphDef": "node 1 *NodeDef, library 2 FunctionDefLibrary, version 3 int32, versions 4 VersionDef",
}


def _enum_name(name: str) -> str:
    names = {"float32": "float", "float64": "double", "float16": "half"}
    return f"DT_{names.get(name, name).upper()}"


def _data_type() -> descriptor_pb2.EnumDescriptorProto:
    enum = descriptor_pb2.EnumDescriptorProto(name="DataType")
    enum.value.add(name="DT_INVALID", number=0)
    for number, name in sorted(dtypes.BY_NUMBER.items()):
        enum.value.add(name=_enum_name(name), number=number)
    for number, name in sorted(dtypes.BY_NUMBER.items()):
        enum.value.add(name=f"{_enum_name(name)}_REF", number=number + dtypes.REF_OFFSET)
    return enum


def _set_type(field: descriptor_pb2.FieldDescriptorProto, type_text: str) -> None:
    if type_text in _SCALARS:
        field.type = _SCALARS[type_text]
    else:
        is_enum = type_text == "DataType"
        field.type = _Field.TYPE_ENUM if is_enum else _Field.TYPE_MESSAGE
        field.type_name = f".{_PACKAGE}.{type_text}"


def _add_map(
    message: descriptor_pb2.DescriptorProto,
    field: descriptor_pb2.FieldDescriptorProto,
    type_text: str,
) -> None:
    key, value = type_text[1:].split("}")
    name = "".join(part.capitalize() for part in field.name.split("_")) + "Entry"
    entry = message.nested_type.add(name=name)
    entry.options.map_entry = True
    for number, (part, kind) in enumerate((("key", key), ("value", value)), 1):
        _set_type(entry.field.add(name=part, number=number, label=_Field.LABEL_OPTIONAL), kind)
    field.label = _Field.LABEL_REPEATED
    field.type = _Field.TYPE_MESSAGE
    field.type_name = f".{_PACKAGE}.{message.name}.{name}"


def _add_field(message: descriptor_pb2.DescriptorProto, row: str) -> None:
    name, number, type_text = row.split()
    field = message.field.add(name=name, number=int(number), label=_Field.LABEL_OPTIONAL)
    if type_text[0] == "{":
        _add_map(message, field, type_text)
        return
    if type_text[0] == "*":
        field.label = _Field.LABEL_REPEATED
    elif type_text[0] == "|":
        if not message.oneof_decl:
            message.oneof_decl.add(name="value")
        field.oneof_index = 0
    _set_type(field, type_text.lstrip("*|"))


def _classes() -> dict[str, Any]:
    file = descriptor_pb2.FileDescriptorProto(
        name="tfcarve/messages.proto", package=_PACKAGE, syntax="proto3"
    )
    file.enum_type.append(_data_type())
    for name, rows in _MESSAGES.items():
        message = file.message_type.add(name=name)
        for row in rows.split(", "):
            _add_field(message, row)
    pool = descriptor_pool.DescriptorPool()
    pool.Add(file)
    return {
        name: message_factory.GetMessageClass(pool.FindMessageTypeByName(f"{_PACKAGE}.{name}"))
        for name in _MESSAGES
    }


_CLASSES = _classes()

ArgDef = _CLASSES["ArgDef"]
AttrDef = _CLASSES["AttrDef"]
AttrValue = _CLASSES["AttrValue"]
FunctionDef = _CLASSES["FunctionDef"]
FunctionDefLibrary = _CLASSES["FunctionDefLibrary"]
GraphDef = _CLASSES["GraphDef"]
NameAttrList = _CLASSES["NameAttrList"]
NodeDef = _CLASSES["NodeDef"]
OpDef = _CLASSES["OpDef"]
OpList = _CLASSES["OpList"]
TensorProto = _CLASSES["TensorProto"]
TensorShapeProto = _CLASSES["TensorShapeProto"]
