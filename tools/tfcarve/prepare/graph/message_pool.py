"""Creates protobuf classes from tables, in a private descriptor pool, without importing tensorflow.

Fields that a table does not declare are preserved as unknown fields.
"""

from collections.abc import Mapping
from typing import Any

from google.protobuf import any_pb2, descriptor_pb2, descriptor_pool, message_factory

from tfcarve import dtypes

_Field = descriptor_pb2.FieldDescriptorProto
# The text format names the types of Any messages with their package.
_PACKAGE = "tensorflow"
_TYPES = "tfcarve/types.proto"
_SCALARS = {
    "bool": _Field.TYPE_BOOL,
    "bytes": _Field.TYPE_BYTES,
    "double": _Field.TYPE_DOUBLE,
    "float": _Field.TYPE_FLOAT,
    "int32": _Field.TYPE_INT32,
    "int64": _Field.TYPE_INT64,
    "sint64": _Field.TYPE_SINT64,
    "string": _Field.TYPE_STRING,
    "uint32": _Field.TYPE_UINT32,
    "uint64": _Field.TYPE_UINT64,
}


def _data_type() -> descriptor_pb2.EnumDescriptorProto:
    enum = descriptor_pb2.EnumDescriptorProto(name="DataType")
    enum.value.add(name="DT_INVALID", number=0)
    for start in (0, dtypes.REF_OFFSET):
        for number in sorted(dtypes.BY_NUMBER):
            enum.value.add(name=dtypes.enum_name(start + number), number=start + number)
    return enum


def _set_type(field: descriptor_pb2.FieldDescriptorProto, type_text: str) -> None:
    if type_text in _SCALARS:
        field.type = _SCALARS[type_text]
    else:
        is_enum = type_text == "DataType"
        field.type = _Field.TYPE_ENUM if is_enum else _Field.TYPE_MESSAGE
        package = "" if "." in type_text else f"{_PACKAGE}."
        field.type_name = f".{package}{type_text}"


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


def _new_pool() -> descriptor_pool.DescriptorPool:
    pool = descriptor_pool.DescriptorPool()
    pool.AddSerializedFile(any_pb2.DESCRIPTOR.serialized_pb)
    types = descriptor_pb2.FileDescriptorProto(name=_TYPES, package=_PACKAGE, syntax="proto3")
    types.enum_type.append(_data_type())
    pool.Add(types)
    return pool


POOL = _new_pool()


def classes(file_name: str, tables: Mapping[str, str], imported: str = "") -> dict[str, Any]:
    """Returns classes by name, of messages that are added to the pool.

    Args:
      file_name: the name of their .proto file in the pool.
      tables: the fields of each message: name, number, type, separated by commas. `*` before a type is repeated, `|` is
        in the message's oneof, which is named `value`, `{K}` is a map with key type K.
      imported: the .proto file in the pool that has the other messages that the fields refer to.
    """
    file = descriptor_pb2.FileDescriptorProto(name=file_name, package=_PACKAGE, syntax="proto3")
    file.dependency.extend([_TYPES, any_pb2.DESCRIPTOR.name, *([imported] if imported else [])])
    for name, rows in tables.items():
        message = file.message_type.add(name=name)
        for row in filter(None, rows.split(", ")):
            _add_field(message, row)
    POOL.Add(file)
    return {
        name: message_factory.GetMessageClass(POOL.FindMessageTypeByName(f"{_PACKAGE}.{name}"))
        for name in tables
    }
