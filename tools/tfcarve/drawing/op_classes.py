"""The classes of ops, with a colour each. Pure."""

import re
from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class OpClass:
    """A class of ops: its name, its colour, and the pattern of their names."""

    name: str
    colour: str
    pattern: re.Pattern[str]


def _class(name: str, colour: str, pattern: str) -> OpClass:
    return OpClass(name, colour, re.compile(pattern))


OTHER = _class("other", "#e8dde4", "")

# In this order: a name belongs to the first class whose pattern it starts with, and a scope to the first class of its ops.
# Light tints, for black text; neighbours in models differ for readers with colour vision deficiencies too.
CLASSES = (
    _class("convolution", "#8fc3ee", r"(Quantized|_Fused|Fused\w*)?(Depthwise)?(Conv[23]D|Conv\b|Convolution)|DepthwiseConv2d|Quantized(Depthwise)?Conv|Dilation2D"),
    _class("matrix product", "#7cc4b5", r"(_Fused|Sparse|Quantized)?(Batch)?MatMul|Einsum|SparseTensorDense"),
    _class("recurrent", "#c3aee6", r"\w*(LSTM|GRU|RNN)"),
    _class("pooling", "#f2e394", r"(Quantized)?(Max|Avg|FractionalMax|FractionalAvg)Pool"),
    _class("normalization", "#bfe3b4", r"_?Fused\w*Norm|\w*BatchNorm|LRN|\w*LayerNorm"),
    _class("activation", "#f7c08a", r"(Quantized)?(Relu|Elu|Selu|LeakyRelu|Sigmoid|Tanh|Softmax|LogSoftmax|Softplus|Softsign|Erf)"),
    _class("input and output", "#ffffff", r"Placeholder|_Arg|_Retval|_DeviceArg|_DeviceRetval"),
    _class("quantization", "#dcc9f2", r"Quantize(?!d)|Dequantize|Requantiz|FakeQuant"),
    _class("reduction", "#d9c6a3", r"(Mean|Sum|Max|Min|Prod|All|Any|ArgMax|ArgMin|TopK\w*|EuclideanNorm)$"),
    _class("arithmetic", "#f4c2d0", r"Add|Sub|Mul|Div|RealDiv|FloorDiv|BiasAdd|QuantizedBiasAdd|Sqrt|Rsqrt|Square|Exp(m1)?$|Log|Neg|Pow|Maximum|Minimum|Abs|Cast$|Greater|Less|Equal|NotEqual|Logical|Select|Floor|Round"),
    _class("layout", "#cfd8e3", r"(Quantized)?(Reshape|Concat|Split|Pad|MirrorPad|Slice|StridedSlice|Gather|Transpose|ExpandDims|Squeeze|Shape|Tile|Pack|Unpack|Reverse|Fill|Range|Size|Rank|Resize|Crop|SpaceTo|BatchTo|DepthTo)"),
    _class("control flow", "#e8a7a0", r"(Stateless)?(While|If|Case)$|Switch|Merge|Enter|Exit|NextIteration|LoopCond|(Stateful)?PartitionedCall|RefSwitch|RefMerge"),
    OTHER,
    _class("value", "#e9e9e9", r"(Immutable)?Const$|Variable|VarHandleOp|ReadVariableOp|(Hash|LookUp|Lookup)\w*Table"),
    _class("no computation", "#f7f7f7", r"Identity|IdentityN|NoOp|StopGradient|PreventGradient|CheckNumerics"),
)  # fmt: skip
_NAMED = tuple(found for found in CLASSES if found is not OTHER)


def op_class(op: str) -> OpClass:
    """Returns the class of an op."""
    return next((found for found in _NAMED if found.pattern.match(op)), OTHER)


def main_op(ops: Mapping[str, int]) -> str:
    """Returns the op that a box is coloured by: the most frequent one of the first class of its ops.

    Args:
      ops: number of nodes of each op, most frequent first; at least one.
    """
    return min(ops, key=lambda op: CLASSES.index(op_class(op)))
