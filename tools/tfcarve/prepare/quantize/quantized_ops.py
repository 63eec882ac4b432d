"""Float ops and their quantized equivalents. Pure.

Source: GetQuantizedOpList in tensorflow/tools/graph_transforms/quantize_nodes.cc, and the requirements of the kernels
in tensorflow/core/kernels/quantized_*_op.cc.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from tfcarve.prepare.graph import nodes
from tfcarve.prepare.graph.graph import Ref, data_inputs
from tfcarve.prepare.graph.messages import NodeDef
from tfcarve.prepare.layout.layouts import Facts
from tfcarve.prepare.quantize.quantization import QINT8, QINT32, QUINT8


@dataclass(frozen=True)
class QuantizedOp:
    """A quantized op.

    Attributes:
      op: its name.
      types: its type attributes.
      copied: the attributes that are copied from the float op.
      plain: the numbers of its inputs that are not quantized.
      signed: the numbers of its inputs that are qint8 constants with a range around 0.
      returns_qint32: whether its output is qint32 and must be requantized.
      lows_first: whether all low inputs precede all high inputs; otherwise low and high of each tensor are neighbours.
    """

    op: str
    types: Mapping[str, int]
    copied: tuple[str, ...] = ()
    plain: frozenset[int] = field(default_factory=frozenset)
    signed: frozenset[int] = field(default_factory=frozenset)
    returns_qint32: bool = False
    lows_first: bool = False


def _wide(op: str, names: tuple[str, str, str], *copied: str) -> QuantizedOp:
    types = dict(zip(names, (QUINT8, QUINT8, QINT32), strict=True))
    return QuantizedOp(op, types, copied, returns_qint32=True)


_BYTES = {"T": QUINT8}
_POOL = ("ksize", "strides", "padding")
_ADD = _wide("QuantizedAdd", ("T1", "T2", "Toutput"))
_CONCAT = QuantizedOp("QuantizedConcat", _BYTES, ("N",), frozenset((0,)), lows_first=True)
_RELU_TYPES = {"Tinput": QUINT8, "out_type": QUINT8}

DEPTHWISE = "DepthwiseConv2dNative"
CONCATS = frozenset(("Concat", "ConcatV2"))
# The largest value of the output of ops that clip at 0.
CLIPS: Mapping[str, np.float32] = {"Relu": np.float32(np.inf), "Relu6": np.float32(6)}
# Ops that do not compute with the values of their first input.
PASSING = frozenset(("Identity", "Pad", "PadV2", "Squeeze"))

_OPS: Mapping[str, QuantizedOp] = {
    "Add": _ADD,
    "AddV2": _ADD,
    "AvgPool": QuantizedOp("QuantizedAvgPool", _BYTES, _POOL),
    "BiasAdd": _wide("QuantizedBiasAdd", ("T1", "T2", "out_type")),
    "Concat": _CONCAT,
    "ConcatV2": _CONCAT,
    DEPTHWISE: QuantizedOp(
        "QuantizedDepthwiseConv2D",
        {"Tinput": QUINT8, "Tfilter": QINT8, "out_type": QINT32},
        ("strides", "padding"),
        signed=frozenset((1,)),
        returns_qint32=True,
    ),
    "Conv2D": _wide("QuantizedConv2D", ("Tinput", "Tfilter", "out_type"), "strides", "padding"),
    "MatMul": _wide("QuantizedMatMul", ("T1", "T2", "Toutput"), "transpose_a", "transpose_b"),
    "MaxPool": QuantizedOp("QuantizedMaxPool", _BYTES, _POOL),
    "Mul": _wide("QuantizedMul", ("T1", "T2", "Toutput")),
    "Relu": QuantizedOp("QuantizedRelu", _RELU_TYPES),
    "Relu6": QuantizedOp("QuantizedRelu6", _RELU_TYPES),
    "Reshape": QuantizedOp("QuantizedReshape", _BYTES, ("Tshape",), frozenset((1,))),
    "ResizeBilinear": QuantizedOp(
        "QuantizedResizeBilinear", _BYTES, ("align_corners", "half_pixel_centers"), frozenset((1,))
    ),
}
_WITH_PADDING = frozenset(("AvgPool", "Conv2D", DEPTHWISE, "MaxPool"))
_WITH_IMAGES = _WITH_PADDING | {"BiasAdd"}
_BROADCAST = frozenset(("Add", "AddV2", "Mul"))


def inputs(node: NodeDef) -> list[Ref]:
    """Returns the inputs of a float op in the order of its quantized op."""
    sources = data_inputs(node)
    return [sources[-1], *sources[:-1]] if node.op == "ConcatV2" else sources


def operands(node: NodeDef, op: QuantizedOp) -> list[Ref]:
    """Returns the inputs of a float op that its quantized op reads quantized."""
    return [source for index, source in enumerate(inputs(node)) if index not in op.plain]


def quantized_op(node: NodeDef, facts: Facts) -> QuantizedOp | None:
    """Returns the quantized op for a node, or None if no quantized op supports the op and its attributes."""
    found = _OPS.get(node.op)
    if found is None or nodes.dtype(node) != nodes.FLOAT or node.name not in facts.outputs:
        return None
    if node.op in _WITH_IMAGES and nodes.text(node, "data_format", "NHWC") != "NHWC":
        return None
    if node.op in _WITH_PADDING and nodes.text(node, "padding") not in ("SAME", "VALID"):
        return None
    if node.op == "Conv2D" and not _is_plain(node, facts):
        return None
    if node.op == DEPTHWISE and not _is_plain_depthwise(node, facts):
        return None
    if node.op == "BiasAdd" and (facts.rank(data_inputs(node)[0]) or 0) < 2:
        return None
    if node.op == "ConcatV2" and nodes.dtype(node, "Tidx") not in (0, nodes.INT32):
        return None
    if node.op in _BROADCAST and not _is_simple_broadcast(node, facts):
        return None
    return found


def is_passing(node: NodeDef, facts: Facts) -> bool:
    """Returns whether a node passes the values of its first input through, so that they may be quantized."""
    return (
        node.op in PASSING
        and nodes.dtype(node) == nodes.FLOAT
        and node.name in facts.outputs
        and not facts.is_constant(data_inputs(node)[0])
    )


def _is_undilated(conv: NodeDef) -> bool:
    """Returns whether a convolution has no dilations and equal strides."""
    strides = nodes.ints(conv, "strides")
    if len(strides) != 4 or strides[1] != strides[2] or strides[0] != 1 or strides[3] != 1:
        return False
    return set(nodes.ints(conv, "dilations")) <= {1}


def _is_plain(conv: NodeDef, facts: Facts) -> bool:
    """Returns whether a Conv2D has no dilations, equal strides and no channel groups."""
    shapes = [facts.shape(source) for source in data_inputs(conv)]
    if shapes[0] is None or shapes[1] is None or len(shapes[0]) != 4 or len(shapes[1]) != 4:
        return False
    return _is_undilated(conv) and shapes[0][3] == shapes[1][2]


def _is_plain_depthwise(conv: NodeDef, facts: Facts) -> bool:
    """Returns whether a DepthwiseConv2dNative has no dilations, equal strides and a constant filter."""
    return _is_undilated(conv) and facts.is_constant(data_inputs(conv)[1])


def _is_simple_broadcast(node: NodeDef, facts: Facts) -> bool:
    """Returns whether one input is a scalar or a vector with the last dimension of the other, or both have equal shapes."""
    a, b = (facts.shape(source) for source in data_inputs(node))
    if a is None or b is None:
        return False
    if len(a) < len(b):
        a, b = b, a
    if any(size == 0 for size in (*a, *b)):
        return False
    if not b or (len(b) == 1 and b[0] in (1, a[-1]) and b[0] > 0):
        return True
    return a == b and all(size > 0 for size in a[1:])
