"""Graphs as TensorFlow 1 builds them: queues, savers, reference variables, Switch and Merge."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import tensorflow as tf

from zoo.building import Builders, graph_of

_V1 = tf.compat.v1


@contextmanager
def _control_flow_v1() -> Iterator[None]:
    _V1.disable_control_flow_v2()
    try:
        yield
    finally:
        _V1.enable_control_flow_v2()


def _reference(name: str, shape: list[int]) -> Any:
    return _V1.get_variable(name, shape, initializer=_V1.zeros_initializer(), use_resource=False)


def _trainer() -> None:
    x, y = _V1.placeholder(tf.float32, [None, 4]), _V1.placeholder(tf.float32, [None, 2])
    wrong = tf.reduce_mean((tf.matmul(x, _reference("w", [4, 2])) + _reference("b", [2]) - y) ** 2)
    _V1.train.MomentumOptimizer(0.1, 0.9).minimize(wrong)
    _V1.summary.scalar("loss", wrong)
    _V1.summary.histogram("x", x)
    _V1.summary.merge_all()
    _V1.global_variables_initializer()
    _V1.train.Saver()


def _queues() -> None:
    queue = tf.queue.FIFOQueue(3, [tf.float32], [[2]])
    queue.enqueue([[1.0, 2.0]])
    _V1.train.batch([queue.dequeue()], 2)
    tf.queue.RandomShuffleQueue(3, 1, [tf.int32], [[]]).dequeue_many(2)
    queue.close()


def _files() -> None:
    names = _V1.train.string_input_producer(["a.tfrecord"])
    _, record = _V1.TFRecordReader().read(names)
    found = _V1.parse_single_example(record, {"x": tf.io.FixedLenFeature([], tf.string)})
    tf.reshape(_V1.decode_raw(found["x"], tf.uint8), [-1])


def _branch() -> None:
    with _control_flow_v1():
        x = _V1.placeholder(tf.float32, [])
        _V1.cond(x > 0.0, lambda: x * 2.0, lambda: -x)


def _loop() -> None:
    with _control_flow_v1():
        x = _V1.placeholder(tf.float32, [2])
        _V1.while_loop(lambda i, a: i < 3, lambda i, a: (i + 1, tf.tanh(a)), (0, x))


def _recurrent() -> None:
    with _control_flow_v1():
        cell = _V1.nn.rnn_cell.LSTMCell(3, name="cell")
        _V1.nn.dynamic_rnn(cell, _V1.placeholder(tf.float32, [1, 4, 2]), dtype=tf.float32)


def _two_types() -> None:
    for dtype in (tf.float32, tf.float64):
        x = _V1.placeholder(dtype, [2, 2])
        tf.matmul(x, x)


def _checked() -> None:
    x = _V1.placeholder_with_default([1.0], [None])
    with tf.control_dependencies([_V1.assert_positive(x), _V1.Print(x, [x])]):
        tf.debugging.check_numerics(_V1.nn.dropout(x, 0.5), "wrong")


def _accumulated() -> None:
    x = _V1.placeholder(tf.float32, [2])
    tf.raw_ops.AccumulateNV2(inputs=[x, x], shape=[2])


def _on_another_device() -> None:
    with tf.device("/device:GPU:0"):
        x = _V1.placeholder(tf.float32, [1, 4, 4, 1])
        tf.nn.relu(tf.nn.bias_add(tf.nn.conv2d(x, tf.ones([2, 2, 1, 2]), 1, "SAME"), [1.0, 2.0]))


MODELS: Builders = {
    "v1 trainer": lambda: graph_of(_trainer),
    "v1 queues": lambda: graph_of(_queues),
    "v1 files": lambda: graph_of(_files),
    "v1 branch": lambda: graph_of(_branch),
    "v1 loop": lambda: graph_of(_loop),
    "v1 LSTM": lambda: graph_of(_recurrent),
    "v1 two types": lambda: graph_of(_two_types),
    "v1 checks": lambda: graph_of(_checked),
    "v1 accumulate": lambda: graph_of(_accumulated),
    "v1 for a GPU": lambda: graph_of(_on_another_device),
}
