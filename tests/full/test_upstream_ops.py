"""The ops of TensorFlow's own Python tests of the kernels that overrides replace: a carved library's outputs are the same."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any

from tfcarve import full_tensorflow

os.environ.update(full_tensorflow.SETTINGS)

import numpy as np
import pytest

from e2e.builds import app_workspace, override_library
from e2e.graphs import recorded_ops
from e2e.graphs.recorded_ops import RecordedOp, RecordedTensor
from e2e.sessions import cpu_features
from tfcarve.client.arrays import Array
from tfcarve.client.library import Library

_TESTS = "tensorflow.python."
# The ops that are taken from each test.
_OPS: Mapping[str, Sequence[str]] = {
    "kernel_tests.array_ops.pad_op_test": ("Pad", "PadV2"),
    "kernel_tests.linalg.einsum_op_test": ("Einsum",),
    "kernel_tests.math_ops.batch_matmul_op_test": ("BatchMatMul", "BatchMatMulV2"),
    "kernel_tests.math_ops.cwise_ops_binary_test": ("Add", "AddV2", "Mul", "Sub"),
    "kernel_tests.math_ops.cwise_ops_unary_test": ("Erf", "Exp", "Sigmoid", "Tanh"),
    "kernel_tests.math_ops.matmul_op_test": ("MatMul",),
    "kernel_tests.math_ops.transpose_op_test": ("ConjugateTranspose", "Transpose"),
    "kernel_tests.nn_ops.bias_op_test": ("BiasAdd", "BiasAddGrad"),
    "kernel_tests.nn_ops.conv_ops_test": ("Conv2D", "DepthwiseConv2dNative"),
    "kernel_tests.nn_ops.depthwise_conv_op_test": ("DepthwiseConv2dNative",),
    "kernel_tests.nn_ops.pooling_ops_test": ("AvgPool", "MaxPool"),
    "kernel_tests.nn_ops.relu_op_test": ("Elu", "Relu", "Relu6", "Selu"),
    "kernel_tests.nn_ops.softmax_op_test": ("LogSoftmax", "Softmax"),
    "ops.dequantize_op_test": ("Dequantize",),
    "ops.nn_fused_batchnorm_test": ("FusedBatchNorm", "FusedBatchNormV2", "FusedBatchNormV3"),
}
_TOLERANCES = {"float16": 2e-3, "bfloat16": 1.6e-2, "float32": 1e-5, "complex64": 1e-5}
_OTHERS = 1e-12
_FEWEST = 4000
# TensorFlow does not always set the other outputs, which only gradients read.
_COMPARED: Mapping[str, int] = {"FusedBatchNormV3": 3}


@pytest.fixture(name="recorded", scope="module")
def _recorded(tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, Sequence[RecordedOp]]:
    folder = tmp_path_factory.mktemp("recorded")
    return {name: recorded_ops.record(_TESTS + name, ops, folder) for name, ops in _OPS.items()}


@pytest.fixture(name="library", scope="module")
def _library(
    recorded: Mapping[str, Sequence[RecordedOp]], tmp_path_factory: pytest.TempPathFactory
) -> Library:
    kernels = {op.kernel(): op for ops in recorded.values() for op in ops}
    graph = recorded_ops.graph(list(kernels.values()))
    folder = tmp_path_factory.mktemp("models")
    with app_workspace.opened() as workspace:
        built = override_library.build(workspace, {"upstream": graph}, folder, ("default",))
    return Library(built["default"]["libtensorflow-core.so"])


def _compared(op: RecordedOp) -> Sequence[RecordedTensor]:
    return op.outputs[: _COMPARED.get(op.definition().op)]


def _run(library: Library, op: RecordedOp, threads: int) -> list[Any]:
    """Returns the outputs that are compared."""
    graph = recorded_ops.graph([op]).SerializeToString(deterministic=True)
    fed = {
        f"0_{index}": Array(tensor.dtype, tensor.values.shape, tensor.values.tobytes())
        for index, tensor in enumerate(op.inputs)
    }
    expected = _compared(op)
    outputs = []
    with (
        library.session_from_bytes(graph, threads) as session,
        session.bind(fed, [f"0:{index}" for index in range(len(expected))]).run() as result,
    ):
        for index, tensor in enumerate(expected):
            found = result.output(index)
            assert found.dtype == tensor.dtype
            array = np.frombuffer(found.data, tensor.values.dtype)
            outputs.append(array.reshape(found.dims).copy())
    return outputs


def _check(found: Any, expected: Any) -> None:
    assert found.shape == expected.shape
    name = expected.dtype.name
    if expected.dtype.kind not in "fc" and name != "bfloat16":
        np.testing.assert_array_equal(found, expected)
        return
    wide = np.complex128 if expected.dtype.kind == "c" else np.float64
    found, expected = found.astype(wide), expected.astype(wide)
    finite = np.abs(expected[np.isfinite(expected)])
    tolerance = _TOLERANCES.get(name, _OTHERS)
    np.testing.assert_allclose(found, expected, tolerance, tolerance * finite.max(initial=0))


@pytest.mark.parametrize("name", _OPS)
def test_outputs_are_the_same(
    name: str, recorded: Mapping[str, Sequence[RecordedOp]], library: Library
) -> None:
    failed = []
    for path in cpu_features.supported():
        assert library.set_cpu(path)
        for op in recorded[name]:
            try:
                for found, expected in zip(_run(library, op, 2), _compared(op), strict=True):
                    _check(found, expected.values)
            except Exception as error:
                failed.append(f"{path}: {op.definition()} {op.inputs}: {error}")
    assert not failed, f"{len(failed)} of {len(recorded[name])}:\n" + "\n".join(failed[:3])


def test_enough_ops_are_recorded(recorded: Mapping[str, Sequence[RecordedOp]]) -> None:
    assert all(recorded.values()), [name for name, ops in recorded.items() if not ops]
    assert sum(map(len, recorded.values())) > _FEWEST


def test_control(recorded: Mapping[str, Sequence[RecordedOp]], library: Library) -> None:
    """Another output is not the same."""
    op = recorded["kernel_tests.math_ops.matmul_op_test"][0]
    (found,) = _run(library, op, 1)
    with pytest.raises(AssertionError):
        _check(found, op.outputs[0].values + 1)
