"""Models of Keras 3, by name: what apps use today. Their weights are random."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import keras
import numpy as np
from keras import layers, ops

Draw = Callable[[np.random.Generator], Any]
_WORDS = ("cat", "dog", "bird", "fish", "tree")


@dataclass(frozen=True)
class Saved:
    """A model to save.

    Attributes:
      build: creates it.
      draw: draws the value of each input, in the order of the model's inputs.
    """

    build: Callable[[], Any]
    draw: tuple[Draw, ...]


MODELS: dict[str, Saved] = {}


def _floats(*shape: int, low: float = -1, high: float = 1) -> Draw:
    return lambda rng: rng.uniform(low, high, shape).astype(np.float32)


def _integers(high: int, *shape: int) -> Draw:
    return lambda rng: rng.integers(0, high, shape, dtype=np.int32)


def _texts(*shape: int) -> Draw:
    return lambda rng: rng.choice([*_WORDS, "unknown"], shape).astype(object)


def _model(*draw: Draw) -> Callable[[Callable[[], Any]], Callable[[], Any]]:
    def register(build: Callable[[], Any]) -> Callable[[], Any]:
        MODELS[build.__name__] = Saved(build, draw)
        return build

    return register


def _chain(shape: tuple[int | None, ...], *chain: Any, dtype: str = "float32") -> Any:
    return keras.Sequential([layers.Input(shape, dtype=dtype), *chain])


_IMAGE = (96, 96, 3)
_pixels = _floats(2, *_IMAGE, low=0, high=255)


@_model(_pixels)
def convnext_tiny() -> Any:
    return keras.applications.ConvNeXtTiny(weights=None, input_shape=_IMAGE, classes=10)


@_model(_pixels)
def efficientnet_v2_b0() -> Any:
    return keras.applications.EfficientNetV2B0(weights=None, input_shape=_IMAGE, classes=10)


@_model(_pixels)
def mobilenet_v3_small() -> Any:
    return keras.applications.MobileNetV3Small(weights=None, input_shape=_IMAGE, classes=10)


@_model(_pixels)
def mobilenet_v2() -> Any:
    return keras.applications.MobileNetV2(weights=None, input_shape=_IMAGE, classes=10)


@_model(_pixels)
def resnet_50_v2() -> Any:
    return keras.applications.ResNet50V2(weights=None, input_shape=_IMAGE, classes=10)


@_model(_floats(2, 12, 12, 3))
def convolutions() -> Any:
    return _chain(
        (12, 12, 3),
        layers.SeparableConv2D(6, 3, activation="silu"),
        layers.DepthwiseConv2D(3, padding="same", dilation_rate=2),
        layers.Conv2DTranspose(4, 3, strides=2, padding="same", activation="hard_swish"),
        layers.UpSampling2D(2, interpolation="bilinear"),
        layers.Conv2D(4, 3, groups=2, activation="mish"),
        layers.MaxPooling2D(2),
        layers.GlobalAveragePooling2D(),
    )


@_model(_floats(2, 6, 6, 6, 2))
def volumes() -> Any:
    return _chain((6, 6, 6, 2), layers.Conv3D(3, 2), layers.AveragePooling3D(2), layers.Flatten())


@_model(_floats(2, 8, 8, 4))
def normalizations() -> Any:
    return _chain(
        (8, 8, 4),
        layers.GroupNormalization(2),
        layers.LayerNormalization(),
        layers.SpectralNormalization(layers.Conv2D(4, 3)),
        layers.UnitNormalization(),
        layers.BatchNormalization(),
        layers.RMSNormalization(),
    )


@_model(_floats(2, 9, 5))
def lstm() -> Any:
    return _chain((None, 5), layers.LSTM(6), layers.Dense(3))


@_model(_floats(2, 9, 5))
def gru() -> Any:
    return _chain((9, 5), layers.GRU(6, return_sequences=True), layers.GRU(4, reset_after=False))


@_model(_floats(2, 9, 5))
def bidirectional() -> Any:
    return _chain((9, 5), layers.Bidirectional(layers.LSTM(4)), layers.Dense(2, "tanh"))


@_model(_integers(30, 2, 7))
def masked_lstm() -> Any:
    embedding = layers.Embedding(30, 8, mask_zero=True)
    return _chain((7,), embedding, layers.LSTM(6), layers.Dense(2), dtype="int32")


@_model(_floats(2, 9, 5))
def stacked_cells() -> Any:
    cells = [layers.GRUCell(4), layers.LSTMCell(3), layers.SimpleRNNCell(2)]
    return _chain((9, 5), layers.RNN(cells))


@_model(_floats(2, 4, 8, 8, 2))
def conv_lstm() -> Any:
    return _chain((4, 8, 8, 2), layers.ConvLSTM2D(3, 3), layers.Flatten())


@_model(_floats(2, 9, 5))
def states() -> Any:
    inputs = layers.Input((9, 5), name="sequence")
    return keras.Model(inputs, layers.LSTM(4, return_sequences=True, return_state=True)(inputs))


@_model(_integers(30, 2, 10))
def transformer() -> Any:
    inputs = layers.Input((10,), dtype="int32")
    x = layers.Embedding(30, 8)(inputs)
    x = layers.LayerNormalization()(x + layers.MultiHeadAttention(2, 4)(x, x, use_causal_mask=True))
    x = layers.Add()([x, layers.Dense(8)(layers.Dense(16, "gelu")(x))])
    return keras.Model(inputs, layers.Dense(2, "softmax")(layers.GlobalMaxPooling1D()(x)))


@_model(_floats(2, 6, 8), _floats(2, 5, 8))
def attention() -> Any:
    query, value = layers.Input((6, 8), name="query"), layers.Input((5, 8), name="value")
    outputs = [layers.Attention()([query, value]), layers.AdditiveAttention()([query, value])]
    grouped = layers.GroupQueryAttention(head_dim=4, num_query_heads=4, num_key_value_heads=2)
    return keras.Model([query, value], [*outputs, grouped(query, value)])


@_model(_texts(3))
def text_vectorization() -> Any:
    vectorize = layers.TextVectorization(vocabulary=list(_WORDS), output_sequence_length=6)
    return _chain((), vectorize, layers.Embedding(8, 4), dtype="string")


@_model(_texts(3, 4))
def string_lookup() -> Any:
    lookup = layers.StringLookup(vocabulary=list(_WORDS), output_mode="multi_hot")
    return _chain((4,), lookup, layers.Dense(2), dtype="string")


@_model(_texts(3, 1))
def hashing() -> Any:
    return _chain((1,), layers.Hashing(num_bins=5), layers.Embedding(5, 3), dtype="string")


@_model(_integers(20, 3, 1))
def integer_lookup() -> Any:
    return _chain((1,), layers.IntegerLookup(vocabulary=[3, 5, 8, 13]), dtype="int32")


@_model(_floats(3, 4, low=-5, high=5))
def tabular() -> Any:
    inputs = layers.Input((4,))
    normal = layers.Normalization(mean=[1.0, 2, 3, 4], variance=[1.0, 2, 1, 3])(inputs)
    bins = layers.Discretization(bin_boundaries=[-2.0, 0, 2], output_mode="multi_hot")(inputs)
    return keras.Model(inputs, layers.Concatenate()([normal, ops.cast(bins, "float32")]))


@_model(_integers(6, 3, 2))
def category_encoding() -> Any:
    return _chain((2,), layers.CategoryEncoding(6, output_mode="multi_hot"), dtype="int32")


@_model(_integers(6, 3, 1), _integers(6, 3, 1))
def crossing() -> Any:
    first, second = layers.Input((1,), dtype="int32"), layers.Input((1,), dtype="int32")
    crossed = layers.HashedCrossing(num_bins=7)((first, second))
    return keras.Model([first, second], layers.Embedding(7, 3)(crossed))


@_model(_floats(2, 20, 24, 3, low=0, high=255))
def image_preprocessing() -> Any:
    return _chain(
        (20, 24, 3),
        layers.Resizing(16, 16, crop_to_aspect_ratio=True),
        layers.CenterCrop(12, 12),
        layers.Rescaling(1 / 127.5, -1),
        layers.Conv2D(2, 3),
    )


@_model(_floats(2, 20, 20, 3, low=0, high=255))
def augmentation() -> Any:
    return _chain(
        (20, 20, 3),
        layers.RandomFlip(),
        layers.RandomRotation(0.1),
        layers.RandomZoom(0.1),
        layers.RandomTranslation(0.1, 0.1),
        layers.RandomContrast(0.2),
        layers.RandomBrightness(0.2),
        layers.RandomCrop(16, 16),
        layers.GaussianNoise(0.1),
        layers.Dropout(0.3),
        layers.Conv2D(2, 3),
    )


@_model(_floats(2, 512))
def mel_spectrogram() -> Any:
    layer = layers.MelSpectrogram(fft_length=128, sequence_stride=64, sampling_rate=8000)
    return _chain((512,), layer)


@_model(_floats(2, 512, 1))
def stft() -> Any:
    return _chain((512, 1), layers.STFTSpectrogram("log", frame_length=64, frame_step=32))


@_model(_floats(2, 400, 1))
def audio() -> Any:
    return _chain(
        (400, 1),
        layers.Conv1D(4, 9, strides=4, padding="causal", activation="relu"),
        layers.ZeroPadding1D(2),
        layers.Conv1DTranspose(3, 4),
        layers.GlobalAveragePooling1D(),
    )


@_model(_floats(2, 6, 4, low=0, high=1), _floats(2, 6, 3))
def detection() -> Any:
    boxes, scores = layers.Input((6, 4), name="boxes"), layers.Input((6, 3), name="scores")
    best, index = ops.top_k(ops.max(ops.softmax(scores), axis=-1), 3)
    chosen = ops.take_along_axis(boxes, ops.expand_dims(index, -1), axis=1)
    width = chosen[..., 2:] - chosen[..., :2]
    return keras.Model(
        [boxes, scores], {"chosen": chosen, "area": ops.prod(width, -1), "best": best}
    )


@_model(_floats(2, 10, 10, 3))
def mixed_float16() -> Any:
    keras.mixed_precision.set_global_policy("mixed_float16")
    try:
        head = layers.Dense(3, "softmax", dtype="float32")
        return _chain((10, 10, 3), layers.Conv2D(4, 3, activation="relu"), layers.Flatten(), head)
    finally:
        keras.mixed_precision.set_global_policy("float32")


@_model(_floats(2, 16))
def int8_weights() -> Any:
    model = _chain((16,), layers.Dense(8, "relu"), layers.Dense(4))
    model.quantize("int8")
    return model


@_model(_floats(2, 6, 4))
def tensor_functions() -> Any:
    x = layers.Input((6, 4), batch_size=2)
    y = ops.einsum("bij,bkj->bik", x, x) @ ops.ones((6, 3))
    y = ops.where(y > 0, ops.log1p(ops.abs(y)), ops.cumsum(y, axis=1))
    y = ops.pad(ops.roll(y, 1, axis=1), [[0, 0], [1, 1], [0, 0]], mode="reflect")
    return keras.Model(x, [ops.logsumexp(y, axis=-1), ops.argmax(y, axis=1), ops.flip(y, 1)])


@_model(_floats(2, 3, 5))
def einsum_dense() -> Any:
    dense = layers.EinsumDense("abc,cd->abd", output_shape=(None, 4), bias_axes="d")
    return _chain((3, 5), dense, layers.TimeDistributed(layers.Dense(2)), layers.LeakyReLU())
