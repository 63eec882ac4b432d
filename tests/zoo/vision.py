"""Vision models: the smallest of each family in tf.keras.applications, and image operations."""

from __future__ import annotations

from typing import Any

import tensorflow as tf

from zoo.building import Builder, Builders, floats, frozen, network

_APPLICATIONS: dict[str, dict[str, Any]] = {
    "ConvNeXtTiny": {},
    "DenseNet121": {},
    "EfficientNetB0": {},
    "EfficientNetV2B0": {},
    "InceptionV3": {"input_shape": (75, 75, 3)},
    "MobileNet": {"alpha": 0.25},
    "MobileNetV2": {"alpha": 0.35},
    "MobileNetV3Small": {"minimalistic": True},
    "NASNetMobile": {},
    "RegNetX002": {},
    "ResNet50": {},
    "ResNet50V2": {},
    "VGG16": {},
    "Xception": {"input_shape": (71, 71, 3)},
}


def _application(name: str) -> Builder:
    arguments = {"input_shape": (32, 32, 3), **_APPLICATIONS[name]}

    def build() -> Any:
        tf.keras.backend.clear_session()
        application = getattr(tf.keras.applications, name)
        return network(application(weights=None, include_top=False, pooling="avg", **arguments))

    return build


def _volumes(x: Any) -> Any:
    deep = tf.nn.conv3d(x, tf.ones([2, 2, 2, 1, 2]), [1, 1, 1, 1, 1], "SAME")
    return tf.nn.max_pool3d(tf.nn.avg_pool3d(deep, 2, 1, "SAME"), 2, 2, "SAME")


def _old_layers(x: Any) -> Any:
    normal = tf.nn.lrn(tf.nn.elu(x))
    wide = tf.nn.dilation2d(normal, tf.ones([2, 2, 3]), [1] * 4, "SAME", "NHWC", [1] * 4)
    return tf.nn.atrous_conv2d(tf.nn.crelu(wide), tf.ones([2, 2, 6, 2]), 2, "SAME")


def _enhancer(x: Any) -> Any:
    sharp = tf.nn.depth_to_space(tf.nn.conv2d(x, tf.ones([3, 3, 3, 12]), 1, "SAME"), 2)
    grey = tf.image.rgb_to_grayscale(tf.clip_by_value(sharp, 0.0, 1.0))
    return tf.nn.space_to_depth(tf.pad(grey, [[0, 0], [2, 2], [2, 2], [0, 0]], "REFLECT"), 2)


def _picture(data: Any) -> Any:
    picture = tf.image.convert_image_dtype(tf.io.decode_jpeg(data, channels=3), tf.float32)
    return tf.image.resize_with_pad(picture, 16, 16)


def _photo_filters(x: Any) -> Any:
    bright = tf.image.adjust_hue(
        tf.image.adjust_saturation(tf.image.adjust_contrast(x, 2.0), 0.5), 0.1
    )
    return tf.io.encode_png(tf.cast(tf.image.flip_left_right(tf.image.rot90(bright))[0], tf.uint8))


MODELS: Builders = {
    **{name: _application(name) for name in _APPLICATIONS},
    "volumes": lambda: frozen(_volumes, floats(1, 4, 4, 4, 1)),
    "old layers": lambda: frozen(_old_layers, floats(1, 8, 8, 3)),
    "super resolution": lambda: frozen(_enhancer, floats(1, 8, 8, 3)),
    "picture from JPEG": lambda: frozen(_picture, tf.TensorSpec([], tf.string)),
    "photo filters": lambda: frozen(_photo_filters, floats(1, 8, 8, 3)),
}
