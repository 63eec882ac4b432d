"""A graph that computes functions of elements, with operands that are broadcast along different dimensions."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any

import tensorflow as tf

import extent
from models import frozen

SIZE = 4000
# Shapes of two operands: equal, a scalar on each side, rows and columns, and up to five dimensions that do not merge.
_SHAPES = (
    ((37,), (37,)),
    ((), (41,)),
    ((43,), ()),
    ((1,), (19,)),
    ((7, 1), (1, 9)),
    ((7, 9), (9,)),
    ((7, 9), (7, 1)),
    ((3, 1, 5), (1, 4, 1)),
    ((2, 3, 4, 5), (1, 3, 1, 5)),
    ((3, 1, 2, 1, 17), (1, 4, 1, 3, 1)),
    ((0, 3), (1, 3)),
    ((40, 1, 50), (40, 2, 1)),
)
_RAW = tf.raw_ops
_NUMBERS: Mapping[str, Callable[..., Any]] = MappingProxyType(
    {
        "Add": _RAW.AddV2,
        "Maximum": _RAW.Maximum,
        "Minimum": _RAW.Minimum,
        "Mul": _RAW.Mul,
        "SquaredDifference": _RAW.SquaredDifference,
        "Sub": _RAW.Sub,
    }
)
_COMPARISONS: Mapping[str, Callable[..., Any]] = MappingProxyType(
    {
        "Equal": _RAW.Equal,
        "Greater": _RAW.Greater,
        "LessEqual": _RAW.LessEqual,
        "NotEqual": _RAW.NotEqual,
    }
)
# Comparisons for equality take three times as long to compile.
_QUICK_FUNCTIONS = (_RAW.AddV2, _RAW.Mul, _RAW.Greater)
# Functions with results that are exact in each type.
_DIVISIONS: Mapping[Any, Sequence[Callable[..., Any]]] = MappingProxyType(
    {
        tf.float32: (_RAW.RealDiv, _RAW.FloorDiv),
        tf.float64: (_RAW.RealDiv,),
        tf.int32: (_RAW.FloorDiv, _RAW.FloorMod),
        tf.int64: (_RAW.FloorDiv, _RAW.TruncateDiv),
    }
)
_UNARY: Mapping[Any, Sequence[Callable[..., Any]]] = MappingProxyType(
    {
        tf.float32: (_RAW.Abs, _RAW.Floor, _RAW.Neg, _RAW.Sign, _RAW.Sqrt, _RAW.Square),
        tf.float64: (_RAW.Ceil, _RAW.Neg, _RAW.Rint),
        tf.int32: (_RAW.Abs, _RAW.Invert, _RAW.Neg, _RAW.Sign),
        tf.int64: (_RAW.Neg, _RAW.Square),
    }
)
_TYPES = (tf.float32, tf.int32, tf.float64, tf.int64)
_QUICK_TYPES = (tf.float32, tf.int32)


def _tensor(given: Any, dtype: Any, shape: Sequence[int]) -> Any:
    return tf.reshape(tf.cast(given[: math.prod(shape)], dtype), shape)


def _results(given: Any, dtype: Any) -> Iterator[Any]:
    divisions = () if dtype == tf.float32 and not extent.IS_FULL else _DIVISIONS[dtype]
    functions = [*_NUMBERS.values(), *_COMPARISONS.values()]
    for left, right in _SHAPES:
        x, y = _tensor(given, dtype, left), _tensor(given[1900:], dtype, right)
        yield from (function(x=x, y=y) for function in extent.of(_QUICK_FUNCTIONS, functions))
        # No element is zero.
        divisor = _tensor(given[1900:] * 2 + 1, dtype, right)
        yield from (function(x=x, y=divisor) for function in extent.of((), divisions))
        condition = _tensor(given[99:], tf.int32, right) > 0
        yield _RAW.SelectV2(condition=condition, t=x, e=_tensor(given[55:], dtype, left))
    flat = _tensor(given, dtype, (1000,))
    for function in extent.of(_UNARY[dtype][:2], _UNARY[dtype]):
        yield function(x=tf.abs(flat) if function is _RAW.Sqrt else flat)


def elementwise() -> Any:
    """Returns the GraphDef; its input are SIZE integers from -8 to 8, as floats."""
    with tf.Graph().as_default() as graph:
        given = tf.compat.v1.placeholder(tf.float32, [SIZE], name=frozen.INPUT)
        parts = [
            tf.reshape(tf.cast(result, tf.float32), [-1])
            for dtype in extent.of(_QUICK_TYPES, _TYPES)
            for result in _results(given, dtype)
        ]
        # Different numbers, so that the test does not compare constants.
        own = tf.cast(tf.range(300), tf.float32) * 0.5
        tf.concat([*parts, own], 0, name=frozen.OUTPUT)
    return graph.as_graph_def()
