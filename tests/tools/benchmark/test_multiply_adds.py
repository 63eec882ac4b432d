"""Tests of counting multiply-adds: against hand-computed numbers and TensorFlow's profiler."""

import re
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import tensorflow as tf

from tfcarve.benchmark.measurement import Node, Output
from tfcarve.benchmark.multiply_adds import OPS, Execution, multiply_adds
from tfcarve.benchmark.shapes import node_multiply_adds
from tfcarve.client.arrays import Shape
from tfcarve.models import read

_CONV = [(1, 8, 8, 3), (5, 5, 3, 16)]
_LSTM: list[Shape] = [(), (7, 2, 3), (2, 4), (2, 4), (7, 16)]


@pytest.mark.parametrize(
    ("op", "inputs", "outputs", "count"),
    [
        ("Relu", [None], [None], 0),
        ("Conv2D", _CONV, [(1, 8, 8, 16)], 8 * 8 * 16 * 5 * 5 * 3),
        ("_FusedConv2D", [*_CONV, (16,)], [(1, 4, 4, 16)], 4 * 4 * 16 * 5 * 5 * 3),
        # Two groups: the filter has the channels of one group.
        ("Conv2D", [(1, 8, 8, 6), (1, 1, 3, 16)], [(1, 8, 8, 16)], 8 * 8 * 16 * 3),
        ("Conv3D", [(1, 4, 8, 8, 3), (2, 5, 5, 3, 16)], [(1, 4, 8, 8, 16)], 4096 * 150),
        ("DepthwiseConv2dNative", [(1, 8, 8, 3), (3, 3, 3, 2)], [(1, 8, 8, 6)], 384 * 9),
        ("_FusedDepthwiseConv2dNative", [(1, 8, 8, 3), (3, 3, 3, 1)], [(1, 8, 8, 3)], 192 * 9),
        ("Conv2DBackpropInput", [(4,), (3, 3, 8, 16), (1, 5, 5, 16)], [(1, 10, 10, 8)], 28_800),
        ("DepthwiseConv2dNativeBackpropInput", [(4,), (3, 3, 8, 1), (1, 5, 5, 8)], [None], 1800),
        ("Conv2DBackpropFilter", [(1, 10, 10, 8), (4,), (1, 5, 5, 16)], [(3, 3, 8, 16)], 28_800),
        ("MatMul", [(2, 3), (3, 5)], [(2, 5)], 30),
        ("_FusedMatMul", [(3, 2), (3, 5), (5,)], [(2, 5)], 30),
        ("MatMul", [(2, 3), None], [(2, 5)], 30),
        ("MatMul", [(0, 3), (3, 5)], [(0, 5)], 0),
        ("MatMul", [(2, 0), (0, 5)], [(2, 5)], 0),
        ("BatchMatMulV2", [(7, 1, 2, 3), (4, 3, 5)], [(7, 4, 2, 5)], 7 * 4 * 30),
        ("BatchMatMulV3", [(9, 3, 2), (9, 5, 3)], [(9, 2, 5)], 9 * 30),
        ("BlockLSTMV2", _LSTM, [(7, 2, 4)], 7 * 2 * 7 * 16),
        ("LSTMBlockCell", [(2, 3), (2, 4), (2, 4), (7, 16)], [(2, 4)], 2 * 7 * 16),
        ("GRUBlockCell", [(2, 3), (2, 4), (7, 8), (7, 4)], [(2, 4)], 2 * 7 * 12),
    ],
)
def test_count(
    op: str, inputs: list[Shape | None], outputs: list[Shape | None], count: int
) -> None:
    assert multiply_adds(op, Execution(inputs, outputs)) == count


@pytest.mark.parametrize(
    ("op", "inputs", "outputs"),
    [
        ("Conv2D", [(1, 8, 8, 3), None], [(1, 8, 8, 16)]),
        ("Conv2D", [(1, 8, 8, 3)], [(1, 8, 8, 16)]),
        ("Conv2D", _CONV, [None]),
        ("Conv2D", _CONV, []),
        ("Conv2D", [(1, 8, 8, 3), (3,)], [(1, 8, 8, 16)]),
        ("DepthwiseConv2dNative", [None, (3, 3, 3)], [(1, 8, 8, 6)]),
        ("MatMul", [None, (3, 5)], [(2, 5)]),
        ("MatMul", [(7,), (3, 5)], [(2, 5)]),
        ("MatMul", [(5, 7), (7, 5)], [(2, 5)]),
        ("Einsum", [(2, 3), (3, 5)], [(2, 5)]),
        ("BlockLSTM", [(), None, (2, 4), (2, 4), (7, 16)], [(7, 2, 4)]),
    ],
)
def test_unknown(op: str, inputs: list[Shape | None], outputs: list[Shape | None]) -> None:
    assert multiply_adds(op, Execution(inputs, outputs)) is None


@pytest.mark.parametrize(
    ("equation", "inputs", "count"),
    [
        ("ab,bc->ac", [(2, 3), (3, 5)], 30),
        ("ab , bc -> ca", [(2, 3), (3, 5)], 30),
        ("abc,cd->abd", [(2, 3, 5), (5, 7)], 210),
        ("aecd,abcd->acbe", [(2, 3, 5, 7), (2, 4, 5, 7)], 2 * 3 * 5 * 7 * 4),
        ("...ab,...bc->...ac", [(9, 8, 2, 3), (8, 3, 5)], 9 * 8 * 30),
        ("ab->ba", [(2, 3)], 0),
        ("aab->ab", [(2, 2, 3)], 0),
    ],
)
def test_einsum(equation: str, inputs: list[Shape], count: int) -> None:
    result = np.einsum(equation.replace(" ", ""), *(np.zeros(shape) for shape in inputs)).shape
    assert multiply_adds("Einsum", Execution(inputs, [result], equation)) == count


@pytest.mark.parametrize("equation", ["ab,bc", "abc,bc->ac", "abc...,bc->ac...", ",,->"])
def test_einsum_whose_shapes_do_not_fit(equation: str) -> None:
    assert multiply_adds("Einsum", Execution([(2,), (3, 5)], [(2, 5)], equation)) is None


def _flops_of_profiler(graph: tf.Graph) -> int:
    options = tf.compat.v1.profiler.ProfileOptionBuilder.float_operation()
    options["output"] = "none"
    profile = tf.compat.v1.profiler.profile(graph, cmd="op", options=options)
    return int(profile.total_float_ops)


def _random(*shape: int) -> tf.Tensor:
    return tf.constant(np.ones(shape, np.float32))


_GRAPHS: dict[str, Callable[[tf.Tensor], tf.Tensor]] = {
    "Conv2D": lambda x: tf.nn.conv2d(x, _random(3, 3, 4, 8), 2, "SAME"),
    "DepthwiseConv2dNative": lambda x: tf.nn.depthwise_conv2d(
        x, _random(3, 3, 4, 2), [1, 1, 1, 1], "VALID"
    ),
    "MatMul": lambda x: tf.matmul(tf.reshape(x, [32, 8]), _random(5, 8), transpose_b=True),
    "BatchMatMulV2": lambda x: tf.matmul(tf.reshape(x, [2, 8, 16]), _random(2, 16, 3)),
}


@pytest.mark.parametrize("op", _GRAPHS)
def test_matches_tensorflows_profiler(op: str, tmp_path: Path) -> None:
    """The nodes come from a traced run of full TensorFlow, the constants' shapes from the model."""
    with tf.Graph().as_default() as graph:
        x = tf.compat.v1.placeholder(tf.float32, [1, 8, 8, 4], name="x")
        output = _GRAPHS[op](x)
        metadata = tf.compat.v1.RunMetadata()
        with tf.compat.v1.Session() as session:
            session.run(
                output,
                {x: np.ones((1, 8, 8, 4), np.float32)},
                tf.compat.v1.RunOptions(trace_level=tf.compat.v1.RunOptions.FULL_TRACE),
                metadata,
            )
        (tmp_path / "m.pb").write_bytes(graph.as_graph_def().SerializeToString())
        expected = _flops_of_profiler(graph)
    nodes = [
        _node(stats) for device in metadata.step_stats.dev_stats for stats in device.node_stats
    ]
    counts = node_multiply_adds(nodes, read.read(tmp_path / "m.pb").nodes)
    assert None not in counts
    assert 2 * sum(count or 0 for count in counts) == expected > 0
    assert op in OPS and op in {node.op for node in nodes}


def _node(stats: "tf.compat.v1.NodeExecStats") -> Node:
    """A node of TensorFlow's trace, parsed as in tools/runtime/api/trace.cc."""
    label = stats.timeline_label.partition(" = ")[2]
    op, _, inputs = label.partition("(")
    outputs = [
        Output(dtype=1, dims=tuple(dim.size for dim in output.tensor_description.shape.dim))
        for output in sorted(stats.output, key=lambda output: output.slot)
    ]
    op = re.sub("^_Mkl(Native)?", "", op)  # TensorFlow replaces ops by oneDNN's
    words = tuple(filter(None, inputs.rstrip(")").split(", ")))
    return Node(
        name=stats.node_name,
        op=op,
        inputs=words,
        calls=1,
        ms=0,
        share=0,
        bytes=0,
        outputs=tuple(outputs),
    )
