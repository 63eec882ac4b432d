"""Models for audio, and for other data types: half, double, complex, small integers, quantized."""

from __future__ import annotations

from typing import Any

import tensorflow as tf

from zoo.building import Builders, floats, frozen


def _mfcc(data: Any) -> Any:
    sound = tf.audio.decode_wav(data, 1, 256)
    seen = tf.raw_ops.AudioSpectrogram(input=sound.audio, window_size=64, stride=32)
    return tf.raw_ops.Mfcc(spectrogram=seen, sample_rate=sound.sample_rate)


def _mel(x: Any) -> Any:
    power = tf.abs(tf.signal.stft(x, 64, 32)) ** 2
    mel = tf.tensordot(power, tf.signal.linear_to_mel_weight_matrix(8, 33), 1)
    return tf.signal.mfccs_from_log_mel_spectrograms(tf.math.log(mel + 1e-6))


def _restore(x: Any) -> Any:
    return tf.signal.inverse_stft(tf.signal.stft(x, 64, 32) * tf.complex(0.5, 0.5), 64, 32)


def _half(x: Any) -> Any:
    small = tf.nn.relu(tf.matmul(tf.cast(x, tf.half), tf.ones([4, 2], tf.half)))
    return tf.nn.softmax(small), tf.cast(small, tf.bfloat16) + tf.constant(1, tf.bfloat16)


def _double(x: Any) -> Any:
    wide = tf.cast(x, tf.double)
    return tf.nn.conv2d(wide, tf.ones([2, 2, 1, 2], tf.double), 1, "SAME"), tf.reduce_logsumexp(
        wide
    )


def _integers(x: Any) -> Any:
    bits = tf.bitwise.bitwise_xor(tf.bitwise.left_shift(x, 2), tf.cast(x > 3, tf.int32))
    small = tf.cast(bits, tf.uint8)
    return (
        tf.math.floormod(tf.matmul(x, x), 7),
        tf.math.bincount(x),
        small // 2,
        tf.cast(x, tf.int64) ** 2,
    )


def _fake_quantized(x: Any) -> Any:
    low, high = tf.constant(-1.0), tf.constant(1.0)
    one = tf.quantization.fake_quant_with_min_max_vars(x, low, high)
    two = tf.quantization.fake_quant_with_min_max_vars_per_channel(one, [-1.0] * 3, [1.0] * 3)
    return tf.quantization.fake_quant_with_min_max_args(two)


def _quantized(x: Any) -> Any:
    """A network in the form that quantize_nodes of graph_transforms produces."""
    ops = tf.raw_ops
    taken = ops.QuantizeV2(input=x, min_range=-1.0, max_range=1.0, T=tf.quint8, mode="MIN_FIRST")
    kernel = ops.QuantizeV2(input=tf.ones([2, 2, 3, 2]), min_range=0.0, max_range=1.0, T=tf.quint8)
    wide = ops.QuantizedConv2D(
        input=taken.output, filter=kernel.output, min_input=taken.output_min, max_input=taken.output_max,
        min_filter=kernel.output_min, max_filter=kernel.output_max, strides=[1, 1, 1, 1], padding="SAME",
    )  # fmt: skip
    limits = ops.RequantizationRange(
        input=wide.output, input_min=wide.min_output, input_max=wide.max_output
    )
    small = ops.Requantize(
        input=wide.output, input_min=wide.min_output, input_max=wide.max_output,
        requested_output_min=limits.output_min, requested_output_max=limits.output_max, out_type=tf.quint8,
    )  # fmt: skip
    lively = ops.QuantizedRelu(
        features=small.output, min_features=small.output_min, max_features=small.output_max
    )
    pooled = ops.QuantizedMaxPool(
        input=lively.activations, min_input=lively.min_activations, max_input=lively.max_activations,
        ksize=[1, 2, 2, 1], strides=[1, 2, 2, 1], padding="SAME",
    )  # fmt: skip
    return ops.Dequantize(
        input=pooled.output, min_range=pooled.min_output, max_range=pooled.max_output
    )


def _algebra(x: Any) -> Any:
    symmetric = tf.matmul(x, x, transpose_b=True) + tf.eye(3)
    solved = tf.linalg.triangular_solve(tf.linalg.cholesky(symmetric), x)
    return solved, tf.linalg.svd(x), tf.linalg.qr(x), tf.linalg.inv(symmetric), tf.linalg.det(x)


def _dice(x: Any) -> Any:
    seed = tf.constant([1, 2])
    noise = tf.random.stateless_normal([3], seed) + tf.random.stateless_uniform([3], seed)
    return x + noise + tf.random.normal([3]), tf.random.categorical([x], 2), tf.random.shuffle(x)


MODELS: Builders = {
    "MFCC of a WAV file": lambda: frozen(_mfcc, tf.TensorSpec([], tf.string)),
    "mel spectrogram": lambda: frozen(_mel, floats(256)),
    "inverse spectrogram": lambda: frozen(_restore, floats(256)),
    "half": lambda: frozen(_half, floats(1, 4)),
    "double": lambda: frozen(_double, floats(1, 4, 4, 1)),
    "integers": lambda: frozen(_integers, tf.TensorSpec([3, 3], tf.int32)),
    "fake quantized": lambda: frozen(_fake_quantized, floats(2, 3)),
    "quantized": lambda: frozen(_quantized, floats(1, 4, 4, 3)),
    "linear algebra": lambda: frozen(_algebra, floats(3, 3)),
    "random": lambda: frozen(_dice, floats(3)),
}
