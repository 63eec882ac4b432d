"""Graphs with tensors without elements, and with shapes whose product no 64-bit integer can hold.

Full TensorFlow refuses some of the hostile ones; others end its process. Import tfcarve.full_tensorflow's SETTINGS into the environment first.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import tensorflow as tf

from models import frozen

IMAGE = np.ones((2, 3, 4, 5), np.float32)
_CELLS = 16
# With _CELLS, or with itself, the product needs more than 64 bits.
_HUGE = 2**60


def _empty(shape: Sequence[int], dtype: Any = tf.float32) -> Any:
    """Returns a constant without elements. NumPy cannot hold all such shapes."""
    dims = tf.TensorShape(shape).as_proto()
    proto = tf.compat.v1.make_tensor_proto(0, tf.int32)
    proto.ClearField("int_val")
    proto.tensor_shape.CopyFrom(dims)
    proto.dtype = dtype.as_datatype_enum
    attrs = {
        "value": tf.compat.v1.AttrValue(tensor=proto),
        "dtype": tf.compat.v1.AttrValue(type=dtype.as_datatype_enum),
    }
    graph = tf.compat.v1.get_default_graph()
    return graph.create_op("Const", [], [dtype], attrs=attrs).outputs[0]


def _empty_filter(x: Any) -> Any:
    return tf.raw_ops.Conv2D(input=x, filter=_empty([0, 3, 5, 2]), strides=[1] * 4, padding="VALID")


def _sum(x_shape: Sequence[int], y_shape: Sequence[int]) -> Any:
    x, y = _empty(x_shape, tf.quint8), _empty(y_shape, tf.quint8)
    made = tf.raw_ops.QuantizedAdd(x=x, y=y, min_x=0.0, max_x=1.0, min_y=0.0, max_y=1.0)
    return tf.bitcast(made.z, tf.int32)


def _zeros(*shape: int) -> Any:
    return tf.constant(np.zeros(shape, np.float32))


def _lstm(x: Any, state: Any) -> Any:
    peephole = _zeros(_CELLS)
    made = tf.raw_ops.BlockLSTM(
        seq_len_max=tf.constant(1, tf.int64),
        x=x,
        cs_prev=state,
        h_prev=state,
        w=_zeros(_CELLS, 4 * _CELLS),
        wci=peephole,
        wcf=peephole,
        wco=peephole,
        b=_zeros(4 * _CELLS),
    )
    return made.h


# By name: what is computed from the input. The sizes of the first ones are small.
_ORDINARY: Mapping[str, Callable[[Any], Any]] = {
    "sum": lambda _: _sum([3, 1, 0], [3, 1, 0]),
    "LSTM": lambda _: _lstm(_empty([2, 1, 0]), _zeros(1, _CELLS)),
}
_HOSTILE: Mapping[str, Callable[[Any], Any]] = {
    "empty filter": _empty_filter,
    "sum of huge shapes": lambda _: _sum([_HUGE, 1, 0], [1, _HUGE, 0]),
    "LSTM with huge output": lambda _: _lstm(_empty([_HUGE, 1, 0]), _zeros(1, _CELLS)),
    "LSTM with huge cell": lambda _: _lstm(_empty([1, 0, 0]), _empty([0, 2**62])),
    "LSTM with huge batch": lambda _: _lstm(_empty([1, _HUGE, 0]), _empty([0, _CELLS])),
}


def _graph(compute: Callable[[Any], Any]) -> Any:
    with tf.Graph().as_default() as graph:
        fed = tf.compat.v1.placeholder(tf.float32, IMAGE.shape, name=frozen.INPUT)
        tf.identity(tf.cast(compute(fed), tf.float32), name=frozen.OUTPUT)
    return graph.as_graph_def()


# GraphDefs by name: which a library runs, and which it must refuse.
ORDINARY: Mapping[str, Any] = {name: _graph(compute) for name, compute in _ORDINARY.items()}
HOSTILE: Mapping[str, Any] = {name: _graph(compute) for name, compute in _HOSTILE.items()}
