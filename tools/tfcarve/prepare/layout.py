"""Tensor layouts: channels as the second dimension (NCHW, NCDHW) or as the last (NHWC, NDHWC). Pure."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from tfcarve.prepare import nodes, tensors
from tfcarve.prepare.evaluate import Output
from tfcarve.prepare.graph import Ref
from tfcarve.prepare.inference import Outputs, output_of, shape_of
from tfcarve.prepare.messages import AttrValue, NodeDef
from tfcarve.prepare.tensors import Array

# The value of data_format with the channels second, and the same with the channels last.
FORMATS: Mapping[str, str] = {"NCHW": "NHWC", "NCDHW": "NDHWC"}
RANKS = frozenset((4, 5))

Order = tuple[int, ...]


def to_last(rank: int) -> Order:
    """Returns the perm of the Transpose that makes the channels the last dimension."""
    return (0, *range(2, rank), 1)


def to_second(rank: int) -> Order:
    """Returns the perm of the Transpose that makes the last dimension the second."""
    return (0, rank - 1, *range(1, rank - 1))


def then(first: Sequence[int], second: Sequence[int]) -> Order:
    """Returns the perm of one Transpose that does what two do, `first` before `second`."""
    return tuple(first[place] for place in second)


@dataclass(frozen=True)
class Plan:
    """How a node computes the same with channels last.

    Attributes:
      reads: the inputs that are then channels last.
      gives: the outputs that are then channels last.
      permuted: the inputs with a row for each dimension, whose rows then have another order.
      constants: the inputs that are then another constant.
      attrs: the attributes that then have another value.
      gives_dims: output 0 has a value for each dimension, which has to be put back into order.
    """

    reads: tuple[int, ...]
    gives: tuple[int, ...] = ()
    permuted: tuple[int, ...] = ()
    constants: Mapping[int, Array] = field(default_factory=dict)
    attrs: Mapping[str, AttrValue] = field(default_factory=dict)
    gives_dims: bool = False


@dataclass(frozen=True)
class Facts:
    """What decides whether a node can have its channels last.

    Attributes:
      known: the nodes by their names.
      outputs: the types and shapes of their outputs.
      fed: the names of the nodes that the app feeds.
    """

    known: Mapping[str, NodeDef]
    outputs: Outputs
    fed: Collection[str]

    def output(self, source: Ref) -> Output | None:
        """Returns the type and shape of a tensor; None where they are not known."""
        return output_of(source, self.outputs)

    def shape(self, source: Ref) -> tuple[int, ...] | None:
        """Returns the shape of a tensor, -1 for an unknown size; None where the rank is unknown."""
        return shape_of(source, self.outputs)

    def rank(self, source: Ref) -> int | None:
        """Returns the rank of a tensor; None where it is unknown."""
        shape = self.shape(source)
        return len(shape) if shape is not None else None

    def is_constant(self, source: Ref) -> bool:
        """Says whether a tensor is a constant of numbers that is not fed."""
        node = self.known[source.node]
        if node.op != "Const" or source.output or source.node in self.fed:
            return False
        return tensors.has_numbers(nodes.tensor(node).dtype)

    def constant(self, source: Ref) -> Array | None:
        """Returns the value of a constant; None where it is none."""
        return nodes.value(self.known[source.node]) if self.is_constant(source) else None

    def integers(self, source: Ref) -> list[int] | None:
        """Returns the values of a constant of integers, flat; None where it is none."""
        array = self.constant(source)
        if array is None or array.dtype.kind not in "iu":
            return None
        return [int(value) for value in array.reshape(-1)]


def dims(values: Sequence[int], rank: int) -> list[int] | None:
    """Returns dimensions that may be counted from the end, counted from 0; None where one is out of range."""
    if any(not -rank <= value < rank for value in values):
        return None
    return [value % rank for value in values]


def moved(dim: int, rank: int) -> int:
    """Returns where a dimension is with channels last."""
    return to_last(rank).index(dim)


def keeps_order(gone: Collection[int], rank: int) -> bool:
    """Says whether the dimensions that are left have the same order with channels last."""
    left = [moved(dim, rank) for dim in range(rank) if dim not in gone]
    return left == sorted(left)


def broadcast_last(array: Array, rank: int) -> Array:
    """Returns a constant that is broadcast to `rank` dimensions as it has to be with channels last."""
    if not array.ndim:
        return array
    whole = array.reshape((1,) * (rank - array.ndim) + array.shape)
    turned = whole.transpose(to_last(rank))
    while turned.ndim > 1 and turned.shape[0] == 1:
        turned = turned[0]
    return np.ascontiguousarray(turned)
