"""The definitions of ops of the TensorFlow that is installed."""

from __future__ import annotations

from functools import cache
from typing import Any

from tensorflow.core.framework import op_def_pb2
from tensorflow.python.client import pywrap_tf_session

from tfcarve import dtypes
from tfcarve.op_definition import Argument, Attr, Value
from tfcarve.registry.index import Deprecation, OpDefinition


def _argument(argument: Any) -> Argument:
    return Argument(
        argument.name,
        dtypes.from_number(argument.type) or "",
        argument.type_attr,
        argument.number_attr,
        argument.type_list_attr,
        argument.is_ref,
    )


def _default(attr: Any) -> Value | None:
    if not attr.HasField("default_value"):
        return None
    value = attr.default_value
    match attr.type:
        case "type":
            return dtypes.from_number(value.type)
        case "int":
            return int(value.i)
        case "list(type)":
            return tuple(str(dtypes.from_number(number)) for number in value.list.type)
        case _:
            return ""


def _attr(attr: Any) -> Attr:
    values = attr.allowed_values.list
    allowed = [str(dtypes.from_number(t)) for t in values.type] or [s.decode() for s in values.s]
    minimum = attr.minimum if attr.has_minimum else None
    return Attr(attr.type, _default(attr), tuple(allowed), minimum)


@cache
def definitions() -> dict[str, OpDefinition]:
    """Returns the definitions of all ops of TensorFlow."""
    listed = op_def_pb2.OpList()
    listed.ParseFromString(pywrap_tf_session.TF_GetBuffer(pywrap_tf_session.TF_GetAllOpList()))
    return {
        op.name: OpDefinition(
            op.name,
            "",
            0,
            stateful=op.is_stateful,
            attrs={attr.name: _attr(attr) for attr in op.attr},
            inputs=tuple(map(_argument, op.input_arg)),
            outputs=tuple(map(_argument, op.output_arg)),
            deprecation=Deprecation(op.deprecation.version, op.deprecation.explanation)
            if op.HasField("deprecation")
            else None,
        )
        for op in listed.op
    }
