"""The number and types of the inputs and outputs of a node, by the definition of its op. Pure.

Source: tensorflow/core/framework/node_def_util.cc (AddArgToSig).
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from tfcarve.models.node_use import AttrValue
from tfcarve.op_definition import Argument, Attr, Definition

# Larger numbers are an error in TensorFlow.
_MAX_TENSORS = 2**31 - 1
# None: unknown, because the caller of a function decides it, or because the attribute is invalid.
Type = str | None


class Undecided(Exception):
    """The number of inputs or outputs is unknown."""


@dataclass(frozen=True, slots=True)
class Tensors:
    """The tensors of one input or output of a definition: `types`, repeated `times` times.

    The number of tensors may be far larger than the file. The length of `types` is bounded by the file's size.

    Attributes:
      name: of the input or output.
      types: the types of the tensors.
      times: the number of repetitions of `types`.
    """

    name: str
    types: tuple[Type, ...]
    times: int = 1

    def __len__(self) -> int:
        return len(self.types) * self.times

    def type(self, number: int) -> Type:
        """Returns the type of one tensor; `number` is less than the length."""
        return self.types[number % len(self.types)]


@dataclass(frozen=True, slots=True)
class Signature:
    """The inputs and outputs of a node, in the order of its op's definition."""

    inputs: tuple[Tensors, ...]
    outputs: tuple[Tensors, ...]

    def output(self, port: int) -> Type:
        """Returns the type of an output; raises IndexError if there is no such output."""
        for tensors in self.outputs:
            if port < len(tensors):
                return tensors.type(port)
            port -= len(tensors)
        raise IndexError


def count(arguments: Iterable[Tensors]) -> int:
    """Returns the number of tensors."""
    return sum(map(len, arguments))


def _value(name: str, attrs: Mapping[str, AttrValue], known: Mapping[str, Attr]) -> AttrValue:
    found = attrs.get(name)
    if found is not None:
        return found
    attr = known.get(name)
    if attr is None or attr.default is None:
        raise Undecided
    return AttrValue(attr.type, attr.default)


def _tensors(
    argument: Argument, attrs: Mapping[str, AttrValue], known: Mapping[str, Attr]
) -> Tensors:
    types: tuple[Type, ...] = (argument.type or None,)
    times = 1
    if argument.number_attr:
        value = _value(argument.number_attr, attrs, known)
        if value.kind != "int" or not 0 <= value.value <= _MAX_TENSORS:
            raise Undecided
        times = value.value
    if argument.type_list_attr:
        value = _value(argument.type_list_attr, attrs, known)
        if value.kind not in ("list(type)", "list()", "unset"):
            raise Undecided
        types = value.value or ()
    elif argument.type_attr:
        value = _value(argument.type_attr, attrs, known)
        types = (value.value if value.kind == "type" else None,)
    if argument.ref:
        types = tuple(f"{name}_ref" if name else None for name in types)
    return Tensors(argument.name, types, times)


def outputs(definition: Definition, attrs: Mapping[str, AttrValue]) -> tuple[Tensors, ...]:
    """Returns the outputs of a node.

    Args:
      definition: of the node's op.
      attrs: the node's attributes.

    Raises:
      Undecided: an attribute that gives a number is missing or invalid, or the caller of a function decides it.
    """
    return tuple(_tensors(argument, attrs, definition.attrs) for argument in definition.outputs)


def signature(definition: Definition, attrs: Mapping[str, AttrValue]) -> Signature:
    """Returns the inputs and outputs of a node; raises Undecided as `outputs` does."""
    inputs = tuple(_tensors(argument, attrs, definition.attrs) for argument in definition.inputs)
    return Signature(inputs, outputs(definition, attrs))
