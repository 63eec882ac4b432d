"""The attributes, inputs and outputs in the definition of an op or of a function. Pure.

Source: tensorflow/core/framework/op_def.proto.
"""

from collections.abc import Mapping
from typing import Protocol

from tfcarve.json_codec import JsonDocument

Scalar = str | int | float | bool
Value = Scalar | tuple[Scalar, ...]


class Attr(JsonDocument, frozen=True, omit_defaults=True):
    """An attribute of an op.

    Attributes:
      type: string, int, float, bool, type, shape, tensor, func, any, or list(…) of one.
      default: the default value (a type by its name); None if there is no default.
      allowed: the values that are allowed; empty: all values of the type.
      minimum: the lower bound of the value, or of the length of a list; None if there is no bound.
    """

    type: str
    default: Value | None = None
    allowed: tuple[str, ...] = ()
    minimum: int | None = None


class Argument(JsonDocument, frozen=True, omit_defaults=True):
    """An input or output: a fixed `type`, or the attributes that give its type and number."""

    name: str
    type: str = ""
    type_attr: str = ""
    number_attr: str = ""
    type_list_attr: str = ""
    ref: bool = False


class Definition(Protocol):
    """The definition of an op, or of a function, which a node calls like an op."""

    @property
    def attrs(self) -> Mapping[str, Attr]:
        """The attributes by name."""

    @property
    def inputs(self) -> tuple[Argument, ...]:
        """The inputs in order."""

    @property
    def outputs(self) -> tuple[Argument, ...]:
        """The outputs in order."""
