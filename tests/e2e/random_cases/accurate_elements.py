"""Random functions of elements, softmax, LSTMs and spectrograms, up to reductions of a million elements.

Import tfcarve.full_tensorflow's SETTINGS into the environment first.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any

import numpy as np
import tensorflow as tf
from hypothesis import strategies as st

from e2e.random_cases import accurate_op
from e2e.random_cases.accurate_op import AccurateOp, Exact, operand

_flag = st.booleans()


@st.composite
def _softmax(draw: st.DrawFn) -> AccurateOp:
    log = draw(_flag)
    size = draw(st.sampled_from((1, 2, 3, 5, 16, 37, 100, 1001, 20_000, 300_000, 2_000_000)))
    shape = [draw(st.integers(1, max(1, min(50, 200_000 // size)))), size]

    def outputs(flat: Any) -> Sequence[Any]:
        return [(tf.nn.log_softmax if log else tf.nn.softmax)(operand(flat, shape, 0))]

    def exact(flat: Any) -> Sequence[Exact]:
        x = operand(flat, shape, 0)
        below = x - tf.reduce_max(x, -1, keepdims=True)
        total = tf.reduce_sum(tf.exp(below), -1, keepdims=True)
        if log:
            return [Exact(below - tf.math.log(total), -below + tf.math.log(total))]
        probabilities = tf.exp(below) / total
        return [Exact(probabilities, probabilities * (1 - below), least=accurate_op.TINY)]

    text = f"{'log ' if log else ''}softmax {shape}"
    return AccurateOp(text, [draw(accurate_op.numbers())], outputs, exact)


_FUNCTIONS: Mapping[str, Callable[[Any], Any]] = MappingProxyType(
    {
        "exp": tf.exp,
        "sigmoid": tf.sigmoid,
        "tanh": tf.tanh,
        "erf": tf.math.erf,
        "relu": tf.nn.relu,
        "relu6": tf.nn.relu6,
    }
)


@st.composite
def _function(draw: st.DrawFn) -> AccurateOp:
    name = draw(st.sampled_from(tuple(_FUNCTIONS)))
    function, size = _FUNCTIONS[name], draw(st.sampled_from((1, 3, 50, 6000)))

    def outputs(flat: Any) -> Sequence[Any]:
        return [function(operand(flat, [size], 0))]

    def exact(flat: Any) -> Sequence[Exact]:
        value = function(operand(flat, [size], 0))
        return [Exact(value, tf.abs(value), least=accurate_op.TINY)]

    return AccurateOp(f"{name} {size}", [draw(accurate_op.numbers())], outputs, exact)


_PAIRS: Mapping[str, Callable[[Any, Any], Any]] = MappingProxyType(
    {
        "add": tf.add,
        "subtract": tf.subtract,
        "multiply": tf.multiply,
        "squared_difference": tf.math.squared_difference,
        "bias_add": tf.nn.bias_add,
    }
)


@st.composite
def _pair(draw: st.DrawFn) -> AccurateOp:
    name = draw(st.sampled_from(tuple(_PAIRS)))
    function, size = _PAIRS[name], draw(st.integers(1, 50))
    shape = [draw(st.integers(1, 50)), size]

    def sides(flat: Any) -> tuple[Any, Any]:
        return operand(flat, shape, 0), operand(flat, [size], 1)

    def exact(flat: Any) -> Sequence[Exact]:
        value = function(*sides(flat))
        return [Exact(value, tf.abs(value), least=accurate_op.TINY)]

    numbers = (draw(accurate_op.numbers()), draw(accurate_op.numbers()))
    return AccurateOp(f"{name} {shape}", numbers, lambda flat: [function(*sides(flat))], exact)


@st.composite
def _lstm(draw: st.DrawFn) -> AccurateOp:
    steps, batch = draw(st.integers(1, 4)), draw(st.integers(1, 3))
    inputs, cells = draw(st.sampled_from((1, 7, 1000, 100_000))), draw(st.sampled_from((1, 5, 16)))
    peephole, clip = draw(_flag), draw(st.sampled_from((0.0, 0.5)))

    def operands(flat: Any) -> dict[str, Any]:
        peepholes = {key: operand(flat, [cells], 3) for key in ("wci", "wcf", "wco")}
        return {
            "x": operand(flat, [steps, batch, inputs], 0),
            "cs_prev": operand(flat, [batch, cells], 4),
            "h_prev": operand(flat, [batch, cells], 3),
            "w": operand(flat, [inputs + cells, 4 * cells], 1) * (1 / inputs),
            "b": operand(flat, [4 * cells], 2),
            **peepholes,
        }

    def outputs(flat: Any) -> Sequence[Any]:
        length = tf.constant(steps, tf.int64)
        settings = {"use_peephole": peephole, "cell_clip": clip, "forget_bias": 1.0}
        return list(tf.raw_ops.BlockLSTM(seq_len_max=length, **settings, **operands(flat)))

    def exact(flat: Any) -> Sequence[Exact]:
        of = operands(flat)
        state, h = of["cs_prev"], of["h_prev"]
        made = []
        for step in range(steps):
            joined = tf.concat([of["x"][step], h], 1)
            size = tf.reduce_max(tf.abs(joined) @ tf.abs(of["w"]) + tf.abs(of["b"]), keepdims=True)
            gates = tf.split(joined @ of["w"] + of["b"], 4, 1)
            weights = [of[key] * float(peephole) for key in ("wci", "wcf", "wco")]
            i = tf.sigmoid(gates[0] + state * weights[0])
            f = tf.sigmoid(gates[2] + 1 + state * weights[1])
            ci = tf.tanh(gates[1])
            sizes = size + 2 + tf.reduce_max(tf.abs(state)) * (1 + tf.reduce_max(tf.abs(weights)))
            state = i * ci + f * state
            if clip:
                state = tf.clip_by_value(state, -clip, clip)
            o = tf.sigmoid(gates[3] + state * weights[2])
            co = tf.tanh(state)
            h = o * co
            made.append([Exact(each, sizes) for each in (i, state, f, o, ci, co, h)])
        return [
            Exact(
                tf.stack([each.value for each in output]),
                tf.stack([tf.broadcast_to(each.size, tf.shape(h)) for each in output]),
            )
            for output in zip(*made, strict=True)
        ]

    # NaN and infinity are undefined: TensorFlow limits a cell's state with vector instructions that may drop NaN.
    ordinary = accurate_op.numbers((0.0, 1.0, 1e3), (1.0, 3.0, 1e-30)).filter(_is_ordinary)
    numbers = [draw(ordinary), *draw(st.tuples(*[accurate_op.ordinary_weights] * 4))]
    text = f"lstm {steps} {batch} {inputs} {cells}, peephole {peephole}, clip {clip}"
    return AccurateOp(text, numbers, outputs, exact)


def _is_ordinary(numbers: accurate_op.Numbers) -> bool:
    return numbers.special is None


@st.composite
def _spectrogram(draw: st.DrawFn) -> AccurateOp:
    size = draw(st.sampled_from((2, 5, 256, 400, 100_000, 1_000_000)))
    squared, frames = draw(_flag), 1 if size > 1000 else 4
    transform = 1 << (size - 1).bit_length()
    samples = size * frames

    def outputs(flat: Any) -> Sequence[Any]:
        x = operand(flat, [samples, 1], 0)
        return [
            tf.raw_ops.AudioSpectrogram(
                input=x, window_size=size, stride=size, magnitude_squared=squared
            )
        ]

    def exact(flat: Any) -> Sequence[Exact]:
        x = operand(flat, [frames, size], 0)
        window = 0.5 - 0.5 * np.cos(2 * np.pi * np.arange(size) / size)
        padded = tf.pad(x * window, [[0, 0], [0, transform - size]])
        spectrum = tf.raw_ops.RFFT(input=padded, fft_length=[transform], Tcomplex=tf.complex128)
        power = tf.square(tf.math.real(spectrum)) + tf.square(tf.math.imag(spectrum))
        value = power if squared else tf.sqrt(power)
        # The transform is computed in double precision, too.
        whole = tf.reduce_sum(tf.abs(x), -1, keepdims=True) * 1e-6
        return [
            Exact(value, value + (tf.square(whole) if squared else whole), least=accurate_op.TINY)
        ]

    # Which elements become NaN depends on the algorithm.
    numbers = draw(accurate_op.numbers().filter(_is_ordinary))
    return AccurateOp(f"spectrogram {size} squared {squared}", [numbers], outputs, exact)


KINDS: Mapping[str, st.SearchStrategy[AccurateOp]] = MappingProxyType(
    {
        "softmax": _softmax(),
        "functions": _function(),
        "pairs": _pair(),
        "lstms": _lstm(),
        "spectrograms": _spectrogram(),
    }
)


def outputs(flat: Any) -> Iterator[Any]:
    """Yields outputs of softmax and the functions, made from the flat input."""
    # More elements than the part has, which are repeated.
    matrix = operand(flat, [2, 5000], 0)
    yield from (tf.nn.softmax(matrix), tf.nn.log_softmax(matrix))
    for function in _FUNCTIONS.values():
        yield function(matrix)
