"""Small graphs that TensorFlow's transform_graph and tfcarve both transform."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any

import numpy as np
import prepared
import reference_patterns as patterns
import tensorflow as tf
from prepared import Array, tf1
from reference_drawing import PICTURE, frozen_v1, picture, plain, statistics
from tensorflow.python.framework import op_def_registry
from tensorflow.python.framework.convert_to_constants import convert_variables_to_constants_v2


@dataclass(frozen=True)
class Sample:
    """A frozen graph with the output "y".

    Attributes:
      definition: its GraphDef, as TensorFlow's message.
      feeds: values for its inputs, by name.
    """

    definition: Any
    feeds: Mapping[str, Array] = field(default_factory=lambda: {"x": prepared.noise(*PICTURE)})


def _variable(name: str, *shape: int) -> Any:
    return tf1.get_variable(name, initializer=prepared.noise(*shape))


def _network() -> None:
    """Draws a convolution and a matrix product with the nodes around them that TensorFlow 1 graphs have."""
    x = picture()
    with tf.device("/device:CPU:0"):
        weights = tf.identity(_variable("conv/weights", 3, 3, 3, 4), name="conv/read")
        created = tf.nn.conv2d(x, weights, 1, "SAME", name="conv/conv")
        created = tf.nn.bias_add(created, _variable("conv/bias", 4), name="conv/biased")
    created = tf1.check_numerics(tf.nn.relu(created), "bad", name="checked")
    with tf1.control_dependencies([created]):
        pooled = tf.reduce_mean(created, [1, 2], name="pooled")
    twice = tf.exp(tf.identity(pooled), name="exp_a") + tf.exp(tf.identity(pooled), name="exp_b")
    low, high = tf.split(twice, 2, 1, name="parts")
    scale = tf.sqrt(tf.constant([4.0, 9.0]) + 1.0, name="scale")
    flat = tf.reshape(low * scale + high, tf.stack([tf.shape(x)[0], 2]), name="flat")
    tf.nn.softmax(tf.matmul(flat, _variable("dense/weights", 2, 5), name="dense"), name="y")
    tf.negative(pooled, name="unused")


def _keras() -> Any:
    """Returns a frozen Keras network with the layers of mobile models."""
    layers = tf.keras.layers
    tf.keras.backend.clear_session()  # layer names are numbered from 1
    tf.keras.utils.set_random_seed(3)

    def norm(x: Any) -> Any:
        created = layers.BatchNormalization()
        result = created(x)
        created.set_weights(statistics(created.gamma.shape[0]))
        return result

    read = layers.Input(PICTURE[1:])
    created = layers.Conv2D(8, 3, 2, use_bias=False)(layers.ZeroPadding2D(1)(read))
    created = layers.ReLU(6.0)(norm(created))
    side = layers.DepthwiseConv2D(3, padding="same")(created)
    created = layers.Concatenate()([created, norm(side)])
    created = layers.Dropout(0.5)(layers.GlobalAveragePooling2D()(created))
    model = tf.keras.Model(read, layers.Softmax()(layers.Dense(5)(created)))
    spec = tf.TensorSpec(PICTURE, tf.float32, name="x")
    function = tf.function(lambda x: model(x, training=False)).get_concrete_function(spec)
    definition = convert_variables_to_constants_v2(function).graph.as_graph_def()
    next(node for node in definition.node if node.name == "Identity").name = "y"
    return definition


def _without_defaults(definition: Any) -> Any:
    """Returns a GraphDef without attributes that equal their op's default."""
    created = tf1.GraphDef()
    created.CopyFrom(definition)
    for node in created.node:
        for attr in op_def_registry.get(node.op).attr:
            if attr.HasField("default_value") and node.attr[attr.name] == attr.default_value:
                del node.attr[attr.name]
    return created


def _reversed(definition: Any) -> Any:
    """Returns a GraphDef with its nodes in the opposite order."""
    created = tf1.GraphDef(versions=definition.versions)
    created.node.extend(reversed(definition.node))
    return created


_DRAWN: Mapping[str, Callable[[], Any]] = {
    "v1": lambda: frozen_v1(_network),
    "v1_resources": lambda: frozen_v1(_network, use_resource=True),
    "v1_bare": lambda: _without_defaults(frozen_v1(_network)),
    "v1_inside": lambda: frozen_v1(_network),
    "v1_reversed": lambda: _reversed(frozen_v1(_network)),
    "v2": _keras,
    "v2_reversed": lambda: _reversed(_keras()),
    "v2_bare": lambda: _without_defaults(_keras()),
    "after_another": lambda: plain(patterns.after_another),
    "array_in_a_loop": lambda: patterns.lowered(patterns.array_in_a_loop),
    "atrous_same": lambda: plain(patterns.atrous([[2, 2], [2, 2]])),
    "atrous_valid": lambda: plain(patterns.atrous([[0, 0], [0, 0]])),
    "calling": lambda: plain(patterns.calling),
    "concat_of_int64": lambda: plain(patterns.concat_of_int64),
    "conv_times": lambda: plain(patterns.times(patterns.conv, 4)),
    "dense_times": lambda: plain(patterns.times(patterns.dense, 6)),
    "depthwise_times": lambda: plain(patterns.times(patterns.depthwise, 6)),
    "fused_norm": lambda: plain(patterns.fused_norm(tf.raw_ops.FusedBatchNorm)),
    "fused_norm_v3": lambda: plain(patterns.fused_norm(tf.raw_ops.FusedBatchNormV3)),
    "gathering": lambda: frozen_v1(patterns.gathering(tf.int64)),
    "gathering_int32": lambda: frozen_v1(patterns.gathering(tf.int32)),
    "mirrored": lambda: plain(patterns.before_conv(patterns.mirrored)),
    "mirrored_several": lambda: plain(patterns.before_conv(patterns.mirrored, 2)),
    "old_norm": patterns.old_norm,
    "quantizable": lambda: plain(patterns.quantizable),
    "resized": lambda: plain(patterns.before_conv(patterns.resized)),
    "resized_mirrored": lambda: plain(
        patterns.before_conv(lambda x: patterns.mirrored(patterns.resized(x)))
    ),
    "with_range": lambda: plain(patterns.with_range),
    "zero_weights": lambda: plain(patterns.zero_weights),
}
_FEEDS = {
    "gathering": {"x": np.array([3, 0, 70, 199, 150, 3])},
    "gathering_int32": {"x": np.array([3, 0, 70, 199, 150, 3], np.int32)},
    "v1_inside": {"x": prepared.noise(*PICTURE), "pooled": prepared.noise(1, 4)},
    "mirrored_several": {"x": prepared.noise(2, *PICTURE[1:])},
}


@cache
def sample(name: str) -> Sample:
    """Returns the graph with that name; the same in every process."""
    definition = _DRAWN[name]()
    return Sample(definition, _FEEDS[name]) if name in _FEEDS else Sample(definition)
