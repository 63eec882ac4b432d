"""Models for detection and segmentation: boxes, masks and upsampling."""

from __future__ import annotations

from typing import Any

import tensorflow as tf

from zoo.building import Builders, floats, frozen, network


def _detector(picture: Any) -> Any:
    """An SSD: two feature maps, anchors, and the best boxes of each class."""
    near = tf.nn.relu6(tf.nn.conv2d(picture, tf.ones([3, 3, 3, 8]), 2, "SAME"))
    far = tf.nn.relu6(tf.nn.depthwise_conv2d(near, tf.ones([3, 3, 8, 1]), [1, 2, 2, 1], "SAME"))
    maps = [
        tf.reshape(tf.nn.conv2d(f, tf.ones([1, 1, 8, 6]), 1, "SAME"), [1, -1, 6])
        for f in (near, far)
    ]
    found = tf.concat(maps, 1)
    boxes, scores = found[..., :4], tf.sigmoid(found[..., 4:])
    return tf.image.combined_non_max_suppression(tf.expand_dims(boxes, 2), scores, 3, 3)


def _suppression(boxes: Any, scores: Any) -> Any:
    old = tf.image.non_max_suppression(boxes, scores, 3, 0.5)
    soft = tf.image.non_max_suppression_with_scores(boxes, scores, 3, soft_nms_sigma=0.5)
    padded = tf.image.non_max_suppression_padded(
        boxes[None], scores[None], 3, pad_to_max_output_size=True
    )
    return tf.gather(boxes, old), soft, padded


def _regions(picture: Any, boxes: Any) -> Any:
    crops = tf.image.crop_and_resize(picture, boxes, tf.zeros([2], tf.int32), [4, 4])
    best = tf.math.top_k(tf.reduce_mean(crops, [1, 2, 3]), 1)
    return tf.gather_nd(crops, best.indices[:, None]), tf.where(crops > 0.5)


def _masks(x: Any) -> Any:
    up = tf.nn.conv2d_transpose(x, tf.ones([3, 3, 4, 3]), [1, 16, 16, 4], 2)
    return tf.argmax(tf.image.resize(up, [32, 32]), -1)


def _u_shape() -> Any:
    layers = tf.keras.layers
    taken = layers.Input((16, 16, 3))
    down = layers.Conv2D(4, 3, padding="same", activation="relu")(taken)
    deep = layers.SeparableConv2D(8, 3, padding="same", activation="swish")(
        layers.MaxPool2D()(down)
    )
    up = layers.concatenate([layers.UpSampling2D()(layers.BatchNormalization()(deep)), down])
    return network(tf.keras.Model(taken, layers.Conv2D(2, 1, activation="softmax")(up)))


MODELS: Builders = {
    "detector": lambda: frozen(_detector, floats(1, 16, 16, 3)),
    "non-max suppression": lambda: frozen(_suppression, floats(9, 4), floats(9)),
    "non-max suppression, functional": lambda: frozen(
        _suppression, floats(9, 4), floats(9), lower=False
    ),
    "regions": lambda: frozen(_regions, floats(1, 8, 8, 3), floats(2, 4)),
    "masks": lambda: frozen(_masks, floats(1, 8, 8, 3)),
    "U-shaped network": _u_shape,
}
