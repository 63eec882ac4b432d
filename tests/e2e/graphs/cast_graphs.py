"""A graph that casts between all types: numbers that both types have, and special numbers between floats."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any

import numpy as np
import tensorflow as tf
from tensorflow.python.framework import dtypes

from models import frozen

_SIZE = 500
_FLOATS = (tf.float32, tf.float64, tf.half, tf.bfloat16)
_COMPLEX = (tf.complex64, tf.complex128)
_SIGNED = (tf.int8, tf.int16, tf.int32, tf.int64)
_OTHERS = (tf.uint8, tf.uint16, tf.uint32, tf.uint64, tf.bool)
_TYPES = (*_FLOATS, *_COMPLEX, *_SIGNED, *_OTHERS)
_BYTES = (dtypes.float8_e5m2, dtypes.float8_e4m3fn)
# Numbers that round in different ways, that are too large or too small for a type, and that are not finite.
_SPECIAL = np.array(
    [
        *(0.0, -0.0, 1.0, -1.0, 1 / 3, 1 + 2**-8, 1 + 3 * 2**-9, 1 + 2**-11, 1 + 2**-24 + 2**-30),
        *(
            65504.0,
            65519.0,
            65520.0,
            448.0,
            464.0,
            465.0,
            57344.0,
            61439.0,
            61440.0,
            3.4e38,
            -3.5e38,
        ),
        *(
            1e300,
            6e-8,
            2.9e-8,
            1e-40,
            -1e-46,
            5e-324,
            2**-9,
            2**-10,
            2**-17,
            np.inf,
            -np.inf,
            np.nan,
        ),
    ]
)
_SPECIAL_PAIRS = np.array([complex(*pair) for pair in zip(_SPECIAL, -_SPECIAL[::-1], strict=True)])


def _cast(tensor: Any, dtype: Any, truncate: bool = False) -> Any:
    return tf.raw_ops.Cast(x=tensor, DstT=dtype, Truncate=truncate)


def _floats(tensor: Any) -> Any:
    """Returns the tensor as floats; of complex numbers, both parts."""
    if tensor.dtype in _COMPLEX:
        tensor = tf.reshape(tf.bitcast(tensor, tensor.dtype.real_dtype), [-1])
    return _cast(tensor, tf.float32)


def _of_numbers(given: Any) -> Iterator[Any]:
    numbers, positive = given[:_SIZE], given[_SIZE:]
    for source, target in itertools.product(_TYPES, _TYPES):
        with_sign = not {source, target} & set(_OTHERS)
        yield _floats(_cast(_cast(numbers if with_sign else positive, source), target))


def _of_special() -> Iterator[Any]:
    numbers = tf.constant(_SPECIAL)
    sources = [*(_cast(numbers, dtype) for dtype in (*_FLOATS, *_BYTES))]
    sources += [_cast(tf.constant(_SPECIAL_PAIRS), dtype) for dtype in _COMPLEX]
    targets = (*_FLOATS, *_COMPLEX, *_BYTES)
    for source, target, truncate in itertools.product(sources, targets, (False, True)):
        # Casts between complex numbers and floats of 8 bits do not exist.
        missing = target in _BYTES and source.dtype in _COMPLEX
        if not missing:
            yield _floats(_cast(source, target, truncate))


def fed(drawn: np.random.Generator) -> Any:
    """Returns the input: numbers from -100 to 100, then positive numbers for types that have no sign."""
    return np.concatenate([drawn.uniform(-100, 100, _SIZE), drawn.uniform(0, 100, _SIZE)]).astype(
        np.float32
    )


def casts() -> Any:
    """Returns the GraphDef."""
    with tf.Graph().as_default() as graph:
        given = tf.compat.v1.placeholder(tf.float32, [2 * _SIZE], name=frozen.INPUT)
        tf.concat([*_of_numbers(given), *_of_special()], 0, name=frozen.OUTPUT)
    return graph.as_graph_def()
