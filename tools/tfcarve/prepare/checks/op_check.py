"""Checks nodes against the definitions of their ops. Pure.

Source: ValidateNodeDef and InOutTypesForNode in tensorflow/core/framework/node_def_util.cc, ValidateAttrValue in
op_def_util.cc, AttrValueHasType in attr_value_util.cc, TypesCompatible in types.cc, ConstantOp in
tensorflow/core/kernels/constant_op.cc. Like TensorFlow, it ignores attributes that the definition does not have.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from tfcarve import dtypes
from tfcarve.prepare.graph.messages import ArgDef, AttrDef, AttrValue, NodeDef, OpDef

_FIELDS = {
    "string": "s",
    "int": "i",
    "float": "f",
    "bool": "b",
    "type": "type",
    "shape": "shape",
    "tensor": "tensor",
    "func": "func",
}
# More tensors in an argument are an error.
_MAX_TENSORS = 1 << 16


class Invalid(Exception):
    """TensorFlow rejects a node; the text is the reason."""


@dataclass(frozen=True)
class Types:
    """The types of a node's data inputs and outputs, by number."""

    inputs: tuple[int, ...]
    outputs: tuple[int, ...]


def type_name(number: int) -> str:
    """Returns the name of a type for messages."""
    return dtypes.from_number(number) or f"DataType {number}"


def accepts(expected: int, actual: int) -> bool:
    """Returns whether an input of type `expected` can read a tensor of type `actual`."""
    return actual in (expected, expected + dtypes.REF_OFFSET)


class OpCheck:
    """The definition of one op."""

    def __init__(self, op: OpDef) -> None:
        """Takes the definition."""
        self._op = op
        self._attrs = {attr.name: attr for attr in op.attr}
        self._required = [a.name for a in op.attr if not a.HasField("default_value")]
        arguments = (*op.input_arg, *op.output_arg)
        self._typing = {
            key
            for argument in arguments
            for key in (argument.type_attr, argument.number_attr, argument.type_list_attr)
            if key
        }

    def check(self, node: NodeDef) -> Types | None:
        """Returns the types of a node, or None if a function's caller determines them.

        Raises Invalid if an attribute is missing or has an invalid value.
        """
        for key in self._required:
            if key not in node.attr:
                raise self._missing(key)
        for key in node.attr:
            definition = self._attrs.get(key)
            if definition is not None and not node.attr[key].HasField("placeholder"):
                _check_value(node.attr[key], definition, node.op)
        if any(key in node.attr and node.attr[key].HasField("placeholder") for key in self._typing):
            return None
        if node.op == "Const" and node.attr["value"].tensor.dtype != node.attr["dtype"].type:
            raise Invalid("the type of its value is not its dtype")
        return Types(self._types(node, self._op.input_arg), self._types(node, self._op.output_arg))

    def _missing(self, key: str) -> Invalid:
        return Invalid(f"the attribute {key!r} of {self._op.name} is missing")

    def _value(self, node: NodeDef, key: str) -> AttrValue:
        if key in node.attr:
            return node.attr[key]
        if key not in self._attrs:
            raise self._missing(key)
        return self._attrs[key].default_value

    def _types(self, node: NodeDef, arguments: Sequence[ArgDef]) -> tuple[int, ...]:
        found: list[int] = []
        for argument in arguments:
            if argument.type_list_attr:
                types = list(self._value(node, argument.type_list_attr).list.type)
            else:
                key, count = argument.type_attr, argument.number_attr
                number = self._value(node, key).type if key else argument.type
                times = self._value(node, count).i if count else 1
                if not 0 <= times <= _MAX_TENSORS:
                    raise Invalid(f"the attribute {count!r} of {node.op} is {times}")
                types = [number] * times
            found += [t + dtypes.REF_OFFSET for t in types] if argument.is_ref else types
        return tuple(found)


def _check_value(value: AttrValue, definition: AttrDef, op: str) -> None:
    name, kind = definition.name, definition.type
    is_list = kind.startswith("list(")
    field = _FIELDS.get(kind.removeprefix("list(").removesuffix(")"), "")
    if not _has_kind(value, field, is_list):
        raise Invalid(f"the attribute {name!r} of {op} is not of type {kind}")
    listed = getattr(value.list, field) if is_list else (getattr(value, field),)
    if field == "type":
        _check_types(listed, name, op)
    if definition.has_minimum:
        size = len(listed) if is_list else value.i
        if size < definition.minimum:
            what = f"has {size} items" if is_list else f"is {size}"
            raise Invalid(
                f"the attribute {name!r} of {op} {what}: the minimum is {definition.minimum}"
            )
    if definition.HasField("allowed_values"):
        allowed = list(getattr(definition.allowed_values.list, field))
        for one in listed:
            if one not in allowed:
                shown = type_name(one) if field == "type" else repr(one.decode(errors="replace"))
                raise Invalid(f"the attribute {name!r} of {op} does not allow {shown}")


def _has_kind(value: AttrValue, field: str, is_list: bool) -> bool:
    """Returns whether a value is of the type of a field, or a list of it, or an empty list."""
    if not is_list:
        return bool(field) and value.HasField(field)
    if not value.HasField("list"):
        return value.WhichOneof("value") is None
    return all(other == field or not getattr(value.list, other) for other in _FIELDS.values())


def _check_types(numbers: Iterable[int], name: str, op: str) -> None:
    for number in numbers:
        if number not in dtypes.BY_NUMBER:
            raise Invalid(f"the attribute {name!r} of {op} does not allow {type_name(number)}")
