"""Makes graph.pb, a classifier with its training, and data.raw: make_graph.py SWISH.so.

Tensors of the graph: `x`, points, float32 [n, 2]; `labels`, int32 [n]; `file`, a name, string. A run of

    initialized   sets the weights to their first values
    trained_loss  trains one step, and returns the loss before it
    probability   float32 [n, 2]
    saved         writes the weights to the file
    restored      reads them
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import tensorflow as tf

tf1 = tf.compat.v1
_HIDDEN = 32
_RATE = 0.05
_POINTS = 200
Array = npt.NDArray[Any]


def spirals() -> tuple[Array, Array]:
    """Returns points of two spirals, float32 [n, 2], and the number of the spiral of each point, int32 [n]."""
    angle = np.linspace(0.5, 3 * np.pi, _POINTS // 2)
    one = np.stack([angle * np.cos(angle), angle * np.sin(angle)], 1) / 8
    points = np.concatenate([one, -one]).astype(np.float32)
    return points, np.repeat(np.arange(2, dtype=np.int32), _POINTS // 2)


def _variables() -> list[Any]:
    draw = np.random.default_rng(1)
    shapes = {
        "w1": (2, _HIDDEN),
        "b1": (_HIDDEN,),
        "w2": (_HIDDEN, _HIDDEN),
        "b2": (_HIDDEN,),
        "w3": (_HIDDEN, 2),
    }
    return [
        tf1.get_variable(
            name, initializer=draw.normal(0, 0.5, shape).astype(np.float32), use_resource=True
        )
        for name, shape in shapes.items()
    ]


def _done(name: str, *after: Any) -> None:
    """Adds a tensor that is computed after operations."""
    with tf1.control_dependencies(after):
        tf.constant(True, name=name)


def build(swish: Path) -> None:
    """Adds the nodes to the default graph."""
    ops = tf.load_op_library(str(swish))
    tf.RegisterGradient("AppSwish")(lambda op, gradient: ops.app_swish_grad(op.inputs[0], gradient))
    x = tf1.placeholder(tf.float32, [None, 2], name="x")
    labels = tf1.placeholder(tf.int32, [None], name="labels")
    file = tf1.placeholder(tf.string, [], name="file")
    weights = w1, b1, w2, b2, w3 = _variables()
    hidden = ops.app_swish(tf.matmul(x, w1) + b1)
    hidden = ops.app_swish(tf.matmul(hidden, w2) + b2)
    logits = tf.matmul(hidden, w3)
    tf.nn.softmax(logits, name="probability")
    loss = tf.reduce_mean(
        tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits)
    )
    trained = tf1.train.AdamOptimizer(_RATE).minimize(loss, var_list=weights)
    with tf1.control_dependencies([loss]), tf1.control_dependencies([trained]):
        tf.identity(loss, name="trained_loss")
    variables = tf1.global_variables()
    _done("initialized", *(variable.initializer for variable in variables))
    names, slices = [v.op.name for v in variables], [""] * len(variables)
    values = [v.read_value() for v in variables]
    _done(
        "saved",
        tf.raw_ops.SaveV2(prefix=file, tensor_names=names, shape_and_slices=slices, tensors=values),
    )
    read = tf.raw_ops.RestoreV2(
        prefix=file,
        tensor_names=names,
        shape_and_slices=slices,
        dtypes=[v.dtype.base_dtype for v in variables],
    )
    _done("restored", *(v.assign(value).op for v, value in zip(variables, read, strict=True)))


def main() -> None:
    """Writes the files to the working directory."""
    with tf1.Graph().as_default() as graph:
        build(Path(sys.argv[1]).resolve())
    Path("graph.pb").write_bytes(graph.as_graph_def().SerializeToString(deterministic=True))
    points, labels = spirals()
    Path("data.raw").write_bytes(points.tobytes() + labels.tobytes())


if __name__ == "__main__":
    main()
