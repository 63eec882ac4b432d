"""Ops that are linear in constant weights, and ops that scale or offset their channels. Pure."""

from dataclasses import dataclass

import numpy as np

from tfcarve.prepare.graph import nodes, tensors
from tfcarve.prepare.graph.graph import data_inputs
from tfcarve.prepare.graph.matching import Matcher
from tfcarve.prepare.graph.messages import NodeDef
from tfcarve.prepare.graph.tensors import Array

FLOATS = frozenset((1, 2, 19))
CONVOLUTIONS = frozenset(("Conv2D", "DepthwiseConv2dNative", "Conv2DBackpropInput"))
LINEAR = CONVOLUTIONS | {"MatMul"}
ADDITIONS = frozenset(("Add", "AddV2", "BiasAdd", "BiasAddV1", "Sub"))
PRODUCTS = frozenset(("Mul", "RealDiv", "Div"))
BATCH_NORMS = frozenset(
    (
        "BatchNormWithGlobalNormalization",
        "FusedBatchNorm",
        "FusedBatchNormV2",
        "FusedBatchNormV3",
    )
)
_COMMUTATIVE = frozenset(("Add", "AddV2", "Mul"))


@dataclass(frozen=True)
class Channels:
    """Where the channels of a tensor are.

    Attributes:
      count: the number of channels.
      rank: the rank of the tensor.
      last: whether the channels are the last dimension; otherwise they are the second.
    """

    count: int
    rank: int
    last: bool


@dataclass(frozen=True)
class Affine:
    """A function of each channel: value * scale + offset, in float64."""

    scale: Array
    offset: Array


def channels(node: NodeDef, weights: NodeDef) -> Channels | None:
    """Returns the channels of a LINEAR node's output, or None if its weights have an unexpected shape."""
    shape = nodes.shape(weights)
    last = nodes.text(node, "data_format", "NHWC") == "NHWC"
    if not last and nodes.text(node, "data_format") != "NCHW":
        return None
    if node.op == "MatMul":
        if len(shape) != 2:
            return None
        return Channels(shape[0 if nodes.flag(node, "transpose_b", False) else 1], 2, True)
    if len(shape) != 4:
        return None
    if node.op == "DepthwiseConv2dNative":
        return Channels(shape[2] * shape[3], 4, last)
    return Channels(shape[2 if node.op == "Conv2DBackpropInput" else 3], 4, last)


def scaled(node: NodeDef, weights: Array, scale: Array) -> Array:
    """Returns the weights with which a LINEAR node computes its channels times `scale`."""
    if node.op == "DepthwiseConv2dNative":
        by_channel = scale.reshape(weights.shape[2:])
    elif node.op == "Conv2DBackpropInput" or nodes.flag(node, "transpose_b", False):
        by_channel = scale[:, None]
    else:
        by_channel = scale
    created = np.empty_like(weights)
    return np.multiply(weights, by_channel, out=created, dtype=np.float64, casting="same_kind")


def per_channel(array: Array, layout: Channels) -> Array | None:
    """Returns the value for each channel of a constant operand, or None if it is not one value per channel."""
    if array.ndim > layout.rank:
        return None
    if array.size == 1:
        return np.full(layout.count, array.reshape(-1)[0], np.float64)
    after = 0 if layout.last else layout.rank - 2
    if array.size != layout.count or array.ndim <= after:
        return None
    if array.shape[array.ndim - 1 - after] != layout.count:
        return None
    return array.reshape(-1).astype(np.float64)


def passes(node: NodeDef, layout: Channels) -> Channels | None:
    """Returns the channels after a node that only moves values, or None for any other node."""
    if node.op == "BatchToSpaceND" and layout.last and layout.rank == 4:
        return layout
    if node.op == "Squeeze" and layout.last:
        removed = {d % layout.rank for d in nodes.ints(node, "squeeze_dims")}
        if removed and layout.rank - 1 not in removed and layout.rank - len(removed) >= 2:
            return Channels(layout.count, layout.rank - len(removed), True)
    return None


def _constant(matcher: Matcher, node: NodeDef, index: int) -> Array | None:
    sources = data_inputs(node)
    source = matcher.node(sources[index].node) if index < len(sources) else None
    if source is None or source.op != "Const" or sources[index].output:
        return None
    if nodes.tensor(source).dtype not in FLOATS:
        return None
    return nodes.value(source)


def affine(node: NodeDef, read: str, layout: Channels, matcher: Matcher) -> Affine | None:
    """Returns the function that `node` applies to each channel of the node `read`, or None if it does anything else."""
    if node.op in BATCH_NORMS:
        return _batch_norm(node, layout, matcher)
    if node.op not in ADDITIONS | PRODUCTS or len(data_inputs(node)) != 2:
        return None
    index = 0 if data_inputs(node)[0].node == read else 1
    if index == 1 and node.op not in _COMMUTATIVE:
        return None
    array = _constant(matcher, node, 1 - index)
    if array is None:
        return None
    values = (
        _bias(node, array, layout) if node.op.startswith("Bias") else per_channel(array, layout)
    )
    if values is None:
        return None
    one, zero = np.ones(layout.count), np.zeros(layout.count)
    if node.op in PRODUCTS:
        with np.errstate(all="ignore"):
            return _finite(Affine(values if node.op == "Mul" else 1 / values, zero))
    return _finite(Affine(one, -values if node.op == "Sub" else values))


def _bias(node: NodeDef, array: Array, layout: Channels) -> Array | None:
    last = nodes.text(node, "data_format", "NHWC") == "NHWC"
    if array.shape != (layout.count,) or (last != layout.last and layout.rank > 2):
        return None
    return array.astype(np.float64)


def _finite(found: Affine) -> Affine | None:
    return found if np.isfinite(found.scale).all() and np.isfinite(found.offset).all() else None


def _batch_norm(node: NodeDef, layout: Channels, matcher: Matcher) -> Affine | None:
    """Source: tensorflow/core/kernels/{fused_batch_norm_op,batch_norm_op}.{cc,h}, in inference mode."""
    listed = [_constant(matcher, node, index) for index in range(1, 5)]
    read = [array.astype(np.float64) for array in listed if array is not None]
    if len(read) != 4 or any(array.shape != (layout.count,) for array in read):
        return None
    if node.op == "BatchNormWithGlobalNormalization":
        mean, variance, beta, gamma = read
        epsilon = nodes.number(node, "variance_epsilon", 0.001)
        if not nodes.flag(node, "scale_after_normalization", True):
            gamma = np.ones(layout.count)
        last = True
    else:
        gamma, beta, mean, variance = read
        epsilon = nodes.number(node, "epsilon", 0.0001)
        last = nodes.text(node, "data_format", "NHWC") == "NHWC"
        if nodes.flag(node, "is_training", True):
            return None
    if last != layout.last or layout.rank != 4:
        return None
    with np.errstate(all="ignore"):
        scale = gamma / np.sqrt(variance + epsilon)
        return _finite(Affine(scale, beta - mean * scale))


def dtype_of(node: NodeDef) -> int:
    """Returns the type that a LINEAR node computes in if it is one of FLOATS, else 0."""
    number = nodes.dtype(node)
    return number if number in FLOATS and tensors.has_numbers(number) else 0
