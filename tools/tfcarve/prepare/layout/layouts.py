"""Tensor layouts: channels first (NCHW, NCDHW) and channels last (NHWC, NDHWC). Pure."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from tfcarve.prepare.evaluate.inference import Outputs, output_of, shape_of
from tfcarve.prepare.evaluate.requests import Output
from tfcarve.prepare.graph import nodes, tensors
from tfcarve.prepare.graph.graph import Ref
from tfcarve.prepare.graph.messages import AttrValue, NodeDef
from tfcarve.prepare.graph.tensors import Array

# data_format with channels first -> data_format with channels last.
FORMATS: Mapping[str, str] = {"NCHW": "NHWC", "NCDHW": "NDHWC"}
RANKS = frozenset((4, 5))

Order = tuple[int, ...]


def to_last(rank: int) -> Order:
    """Returns the perm of the Transpose from channels first to channels last."""
    return (0, *range(2, rank), 1)


def to_second(rank: int) -> Order:
    """Returns the perm of the Transpose from channels last to channels first."""
    return (0, rank - 1, *range(1, rank - 1))


def then(first: Sequence[int], second: Sequence[int]) -> Order:
    """Returns the perm of one Transpose that is equal to `first` followed by `second`."""
    return tuple(first[index] for index in second)


@dataclass(frozen=True)
class Plan:
    """The conversion of a node to channels last.

    Attributes:
      reads: the inputs that become channels last.
      gives: the outputs that become channels last.
      permuted: the inputs with a row for each dimension; their rows are permuted.
      constants: the inputs that are replaced with other constants.
      attrs: the attributes with new values.
      gives_dims: whether output 0 has a value for each dimension and must be permuted back.
    """

    reads: tuple[int, ...]
    gives: tuple[int, ...] = ()
    permuted: tuple[int, ...] = ()
    constants: Mapping[int, Array] = field(default_factory=dict)
    attrs: Mapping[str, AttrValue] = field(default_factory=dict)
    gives_dims: bool = False


@dataclass(frozen=True)
class Facts:
    """The inputs of the decision whether a node can be rewritten.

    Attributes:
      known: the nodes by name.
      outputs: the types and shapes of their outputs.
      fed: the names of the nodes that the app feeds.
    """

    known: Mapping[str, NodeDef]
    outputs: Outputs
    fed: Collection[str]

    def output(self, source: Ref) -> Output | None:
        """Returns the type and shape of a tensor, or None if they are unknown."""
        return output_of(source, self.outputs)

    def shape(self, source: Ref) -> tuple[int, ...] | None:
        """Returns the shape of a tensor, with -1 for an unknown dimension, or None if the rank is unknown."""
        return shape_of(source, self.outputs)

    def rank(self, source: Ref) -> int | None:
        """Returns the rank of a tensor, or None if it is unknown."""
        shape = self.shape(source)
        return len(shape) if shape is not None else None

    def is_constant(self, source: Ref) -> bool:
        """Returns whether a tensor is a numeric constant that is not fed."""
        node = self.known[source.node]
        if node.op != "Const" or source.output or source.node in self.fed:
            return False
        return tensors.has_numbers(nodes.tensor(node).dtype)

    def constant(self, source: Ref) -> Array | None:
        """Returns the value of a constant, or None if the tensor is not constant."""
        return nodes.value(self.known[source.node]) if self.is_constant(source) else None

    def integers(self, source: Ref) -> list[int] | None:
        """Returns the flattened values of an integer constant, or None for any other tensor."""
        array = self.constant(source)
        if array is None or array.dtype.kind not in "iu":
            return None
        return [int(value) for value in array.reshape(-1)]


def dims(values: Sequence[int], rank: int) -> list[int] | None:
    """Converts possibly negative dimensions to non-negative ones; returns None if a dimension is out of range."""
    if any(not -rank <= value < rank for value in values):
        return None
    return [value % rank for value in values]


def moved(dim: int, rank: int) -> int:
    """Returns the position of a dimension with channels last."""
    return to_last(rank).index(dim)


def keeps_order(removed: Collection[int], rank: int) -> bool:
    """Returns whether channels last does not change the order of the dimensions other than `removed`."""
    left = [moved(dim, rank) for dim in range(rank) if dim not in removed]
    return left == sorted(left)


def broadcast_last(array: Array, rank: int) -> Array:
    """Converts a constant that is broadcast to `rank` dimensions to channels last."""
    if not array.ndim:
        return array
    whole = array.reshape((1,) * (rank - array.ndim) + array.shape)
    turned = whole.transpose(to_last(rank))
    while turned.ndim > 1 and turned.shape[0] == 1:
        turned = turned[0]
    return np.ascontiguousarray(turned)
