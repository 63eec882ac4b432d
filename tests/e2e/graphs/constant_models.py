"""Graphs with large constants, in all uses that could depend on where the constants are stored."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

import numpy as np
import tensorflow as tf

from models import frozen
from models.frozen import Array

# The size of each dimension: a constant of floats has 16 KiB.
_SIDE = 64


@dataclass(frozen=True)
class Case:
    """A graph, its inputs and its outputs.

    Attributes:
      graph: the GraphDef.
      feeds: node name to value.
      mapped: the bytes of constants that stay in an aligned file.
      fetches: the names of the outputs, as passed to the C API.
      expected: full TensorFlow's outputs.
    """

    graph: Any
    feeds: Mapping[str, Array]
    mapped: int
    fetches: tuple[str, ...] = (frozen.OUTPUT,)
    expected: tuple[Array, ...] = field(init=False)

    def __post_init__(self) -> None:
        with tf.Graph().as_default() as imported:
            tf.import_graph_def(self.graph, name="")
            with tf.compat.v1.Session(graph=imported) as session:
                names = [n if ":" in n else f"{n}:0" for n in self.fetches]
                feeds = {f"{n}:0": value for n, value in self.feeds.items()}
                object.__setattr__(self, "expected", tuple(session.run(names, feeds)))


def _drawn(*shape: int) -> Array:
    return np.random.default_rng(frozen.SEED + sum(shape)).uniform(-1, 1, shape).astype(np.float32)


def _fed() -> Any:
    return tf.compat.v1.placeholder(tf.float32, [_SIDE, _SIDE], name=frozen.INPUT)


_FED = MappingProxyType({frozen.INPUT: _drawn(_SIDE, _SIDE)})
_ROWS = np.arange(_SIDE, dtype=np.int32)[::-1].copy()
_SIZE = 4 * _SIDE * _SIDE


def _dense() -> Case:
    """Weights and biases, some behind Identity and Reshape; the last bias is too small to be mapped."""
    with tf.Graph().as_default() as graph:
        weights = tf.identity(tf.constant(_drawn(_SIDE, 4 * _SIDE), name="weights"))
        hidden = tf.nn.relu(tf.matmul(_fed(), weights) + tf.constant(_drawn(4 * _SIDE)))
        last = tf.reshape(tf.constant(_drawn(16 * _SIDE)), [4 * _SIDE, 4])
        tf.nn.bias_add(tf.matmul(hidden, last), tf.constant(_drawn(4)), name=frozen.OUTPUT)
    return Case(graph.as_graph_def(), _FED, 4 * _SIZE + 4 * 4 * _SIDE + 4 * 16 * _SIDE)


def _in_place() -> Case:
    """Ops that reuse the buffer of an input that no other op uses, each with its own constant."""
    with tf.Graph().as_default() as graph:
        fed = _fed()
        switched = tf.constant(_drawn(_SIDE, _SIDE))
        which = tf.compat.v1.placeholder(tf.bool, [], name="which")
        untaken, taken = tf.raw_ops.Switch(data=switched, pred=which)
        del taken
        parts = [
            tf.constant(_drawn(_SIDE, _SIDE)) + fed,
            fed - tf.constant(_drawn(_SIDE, _SIDE)),
            tf.nn.relu(untaken),
            tf.reshape(tf.constant(_drawn(_SIDE * _SIDE)), [_SIDE, _SIDE]) * fed,
        ]
        tf.concat(parts, 0, name=frozen.OUTPUT)
    return Case(graph.as_graph_def(), {**_FED, "which": np.bool_(False)}, 4 * _SIZE)


def _overwritten() -> Case:
    """An op that always writes to its input, and so changes the constant: only the first run is correct."""
    with tf.Graph().as_default() as graph:
        fed = _fed()
        rows = tf.compat.v1.placeholder(tf.int32, [_SIDE], name="rows")
        constant = tf.constant(_drawn(_SIDE, _SIDE))
        tf.raw_ops.InplaceAdd(x=constant, i=rows, v=fed, name=frozen.OUTPUT)
    return Case(graph.as_graph_def(), {**_FED, "rows": _ROWS}, _SIZE)


def _folded() -> Case:
    """Constants that constant folding uses, one of which the graph uses, too."""
    with tf.Graph().as_default() as graph:
        both = tf.constant(_drawn(_SIDE, _SIDE), name="both")
        scaled = tf.reshape(both, [_SIDE * _SIDE]) * tf.constant(_drawn(1))
        product = tf.matmul(_fed(), tf.reshape(scaled, [_SIDE, _SIDE]))
        tf.add(tf.matmul(product, both), tf.constant(_drawn(_SIDE, _SIDE)), name=frozen.OUTPUT)
    return Case(graph.as_graph_def(), _FED, 2 * _SIZE)


def _unordered() -> Case:
    """The same graph with each node before its inputs."""
    folded = _folded()
    graph = tf.compat.v1.GraphDef.FromString(folded.graph.SerializeToString())
    del graph.node[:]
    graph.node.extend(reversed(folded.graph.node))
    return Case(graph, folded.feeds, folded.mapped)


def _looked_up() -> Case:
    """A lookup table; values that a shape function reads; the size of a constant."""
    with tf.Graph().as_default() as graph:
        rows = tf.compat.v1.placeholder(tf.int32, [_SIDE], name="rows")
        tf.gather(tf.constant(_drawn(_SIDE, 8)), rows, name="looked_up")
        order = tf.constant(np.random.default_rng(1).permutation(_SIDE * _SIDE).astype(np.int32))
        tf.dynamic_stitch([order], [tf.reshape(_fed(), [-1])], name="stitched")
        tf.raw_ops.Size(input=tf.constant(_drawn(3 * _SIDE, _SIDE)), name="size")
    mapped = 4 * 8 * _SIDE + _SIZE + 3 * _SIZE
    feeds = {**_FED, "rows": _ROWS}
    return Case(graph.as_graph_def(), feeds, mapped, ("looked_up", "stitched", "size"))


def _loop() -> Case:
    """A loop with Enter, Merge and Switch: weights from outside, by Enter, and inside."""
    tf.compat.v1.disable_control_flow_v2()
    try:
        with tf.Graph().as_default() as graph:
            outside = tf.constant(_drawn(_SIDE, _SIDE) / _SIDE)

            def turn(count: Any, state: Any) -> Any:
                inside = tf.constant(_drawn(_SIDE, _SIDE) + 1)
                return count + 1, tf.matmul(state, outside) * inside

            _, last = tf.while_loop(lambda count, state: count < 3, turn, [0, _fed()])
            tf.identity(last, name=frozen.OUTPUT)
    finally:
        tf.compat.v1.enable_control_flow_v2()
    return Case(graph.as_graph_def(), _FED, 2 * _SIZE)


def _functions() -> Case:
    """A function call, with a captured constant and one inside the function."""
    with tf.Graph().as_default() as graph:
        outside = tf.constant(_drawn(_SIDE, _SIDE))

        @tf.function
        def called(x: Any) -> Any:
            return tf.matmul(x, outside) + tf.constant(_drawn(_SIDE, _SIDE))

        tf.identity(called(_fed()), name=frozen.OUTPUT)
    return Case(graph.as_graph_def(), _FED, _SIZE)


def _tied() -> Case:
    """Constants with control inputs, a colocation and a device."""
    with tf.Graph().as_default() as graph:
        fed = _fed()
        with tf.control_dependencies([tf.nn.relu(fed, name="first")]):
            constant = tf.constant(_drawn(_SIDE, _SIDE))
        with tf.compat.v1.colocate_with(fed.op), tf.device("/device:GPU:0"):
            second = tf.constant(_drawn(_SIDE, _SIDE))
        tf.add(tf.matmul(fed, constant), second, name=frozen.OUTPUT)
    return Case(graph.as_graph_def(), _FED, 2 * _SIZE)


def _small() -> Case:
    """Constants just large enough to be mapped: damage to the file mostly hits the structure."""
    with tf.Graph().as_default() as graph:
        fed = tf.compat.v1.placeholder(tf.float32, [2, 16], name=frozen.INPUT)
        hidden = tf.nn.relu(tf.matmul(fed, tf.identity(tf.constant(_drawn(16, 16)))))
        last = tf.reshape(tf.constant(_drawn(256)), [16, 16])
        tf.nn.bias_add(tf.matmul(hidden, last), tf.constant(_drawn(16)), name=frozen.OUTPUT)
    return Case(graph.as_graph_def(), {frozen.INPUT: _drawn(2, 16)}, 2 * 1024)


# The types of the C API.
_DTYPES = ("float32", "float64", "float16", "int8", "uint8", "int16", "int32", "int64", "bool", "complex64")  # fmt: skip


def _types() -> Case:
    """A constant of each type, each of which is an output."""
    arrays = {dtype: (100 * _drawn(8, 4 * _SIDE)).astype(dtype) for dtype in _DTYPES}
    with tf.Graph().as_default() as graph:
        for dtype, array in arrays.items():
            tf.constant(array, name=dtype)
        tf.identity(_fed(), name=frozen.OUTPUT)
    mapped = sum(array.nbytes for array in arrays.values())
    return Case(graph.as_graph_def(), _FED, mapped, (*_DTYPES, "int8:0", frozen.OUTPUT))


CASES: Mapping[str, Callable[[], Case]] = MappingProxyType(
    {
        "dense": _dense,
        "folded": _folded,
        "functions": _functions,
        "in_place": _in_place,
        "looked_up": _looked_up,
        "loop": _loop,
        "overwritten": _overwritten,
        "small": _small,
        "tied": _tied,
        "types": _types,
        "unordered": _unordered,
    }
)
