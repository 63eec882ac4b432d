"""Tests of the classes of ops."""

import pytest

from tfcarve.drawing.op_classes import CLASSES, main_op, op_class


@pytest.mark.parametrize(
    ("name", "ops"),
    [
        ("convolution", "Conv2D Conv3D DepthwiseConv2dNative _FusedConv2D QuantizedConv2D Conv2DBackpropInput"),
        ("matrix product", "MatMul BatchMatMulV2 _FusedMatMul QuantizedMatMul Einsum SparseMatMul"),
        ("recurrent", "BlockLSTM LSTMBlockCell GRUBlockCell CudnnRNN"),
        ("pooling", "MaxPool MaxPool3D AvgPool QuantizedMaxPool"),
        ("normalization", "FusedBatchNormV3 BatchNormWithGlobalNormalization LRN"),
        ("activation", "Relu Relu6 QuantizedRelu6 Softmax LogSoftmax Tanh Sigmoid"),
        ("input and output", "Placeholder PlaceholderWithDefault _Arg _Retval"),
        ("quantization", "QuantizeV2 Dequantize Requantize FakeQuantWithMinMaxVars"),
        ("reduction", "Mean Sum Max Min Prod ArgMax TopKV2"),
        ("arithmetic", "AddV2 Mul BiasAdd Maximum Minimum Rsqrt Cast"),
        ("layout", "Reshape ConcatV2 QuantizedConcatV2 Pad StridedSlice GatherV2 ExpandDims ResizeBilinear"),
        ("control flow", "While StatelessWhile If Switch Merge Enter NextIteration StatefulPartitionedCall"),
        ("other", "AppScale DecodeJpeg Constant Sumo"),
        ("value", "Const VarHandleOp VariableV2 ReadVariableOp HashTableV2 ImmutableConst"),
        ("no computation", "Identity NoOp StopGradient"),
    ],
)  # fmt: skip
def test_op_class(name: str, ops: str) -> None:
    assert {op: op_class(op).name for op in ops.split()} == dict.fromkeys(ops.split(), name)


def test_all_classes_have_names_and_colours_of_their_own() -> None:
    assert len({found.name for found in CLASSES}) == len(CLASSES)
    assert len({found.colour for found in CLASSES}) == len(CLASSES)


def test_colours_are_readable_below_black_text() -> None:
    for found in CLASSES:
        red, green, blue = (int(found.colour[i : i + 2], 16) for i in (1, 3, 5))
        assert 0.299 * red + 0.587 * green + 0.114 * blue > 150, found


def test_main_op() -> None:
    assert main_op({"Const": 9, "Identity": 5, "Relu": 2, "Conv2D": 1}) == "Conv2D"
    assert main_op({"Conv3D": 2, "Conv2D": 1, "Relu": 1}) == "Conv3D"
    assert main_op({"Const": 1}) == "Const"
