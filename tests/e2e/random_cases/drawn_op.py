"""A random op, the numbers that it reads, and how its output becomes float32.

Import tfcarve.full_tensorflow's SETTINGS into the environment first.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

import numpy as np
import tensorflow as tf
from hypothesis import strategies as st

from models import frozen

# The elements of the input.
SIZE = 1 << 15
INTEGERS, SPECIAL = "integers", "special numbers"
# Sums of small integers are exact.
_INTEGERS = np.random.default_rng(frozen.SEED).integers(-3, 4, SIZE).astype(np.float32)
_SPECIAL = (np.inf, -0.0, 1e-40, -1e-40, -np.inf, np.nan)


def _with_special() -> Any:
    """Returns _INTEGERS with a special number in every fortieth place."""
    drawn = np.random.default_rng(frozen.SEED)
    fed = _INTEGERS.copy()
    places = drawn.choice(fed.size, fed.size // 40, replace=False)
    fed[places] = drawn.choice(_SPECIAL, places.size)
    return fed


# Inputs by name, each [SIZE] of float32.
INPUTS: Mapping[str, Any] = MappingProxyType({INTEGERS: _INTEGERS, SPECIAL: _with_special()})


# By type: a few units in the last place, for types with fewer bits than a float.
_ROUNDING: Mapping[Any, float] = MappingProxyType({tf.half: 2e-3, tf.bfloat16: 1.6e-2})


def rounding(dtype: Any) -> float:
    """Returns a tolerance for numbers of a type that are not exact; 0 for integers."""
    return 0 if dtype.is_integer else _ROUNDING.get(dtype, 1e-6)


@dataclass(frozen=True)
class DrawnOp:
    """An op.

    Attributes:
      text: what it is, for the report of a failure.
      outputs: makes its outputs from the flat input.
      numbers: the name of the input, of INPUTS.
      tolerance: permitted difference of outputs, relative and absolute.
      fused_tolerance: the same for CPUs whose compilers fuse a product and a sum, which full TensorFlow does not on x86-64.
      signed_zeros: whether TensorFlow defines the sign of zeros in the output. The sign of a sum depends on whether the sum starts
        with zero, and that of a maximum on the order of its operands.
    """

    text: str
    outputs: Callable[[Any], Sequence[Any]]
    numbers: str = INTEGERS
    tolerance: float = 0
    fused_tolerance: float = 0
    signed_zeros: bool = False

    def __repr__(self) -> str:
        return f"{self.text}, {self.numbers}"

    def graph(self) -> Any:
        """Returns the GraphDef with the input and the concatenated outputs."""
        return graph(self.outputs)


def graph(outputs: Callable[[Any], Sequence[Any]]) -> Any:
    """Returns a GraphDef with a flat input and an output, both float32: the outputs that the function makes from the input."""
    with tf.Graph().as_default() as made:
        flat = tf.compat.v1.placeholder(tf.float32, [SIZE], name=frozen.INPUT)
        parts = [number for output in outputs(flat) for number in _floats(output)]
        tf.concat([*parts, flat[:1]], 0, name=frozen.OUTPUT)
    return made.as_graph_def()


def _floats(output: Any) -> list[Any]:
    """Returns flat float32 tensors that have all that matters of an output: all bits of integers, and 48 of a double's number."""
    dtype = output.dtype
    if dtype.is_complex:
        return _floats(tf.bitcast(output, dtype.real_dtype))
    if dtype == tf.float64:
        high = tf.cast(output, tf.float32)
        return [*_floats(high), *_floats(tf.cast(output - tf.cast(high, dtype), tf.float32))]
    if dtype.is_integer or dtype.is_quantized:
        output = tf.bitcast(output, tf.uint8)
    return [tf.reshape(tf.cast(output, tf.float32), [-1])]


def taken(flat: Any, shape: Sequence[int], start: int = 0, dtype: Any = tf.float32) -> Any:
    """Returns a tensor of a type with elements from `start` on; the input is repeated. Unsigned numbers lose their sign."""
    if dtype.is_complex:
        return tf.bitcast(taken(flat, [*shape, 2], start, dtype.real_dtype), dtype)
    count = int(np.prod(shape))
    numbers = tf.reshape(tf.gather(flat, np.arange(start, start + count) % SIZE), shape)
    if dtype.is_quantized:
        numbers = tf.cast(numbers, tf.int32)
        return tf.bitcast(numbers if dtype == tf.qint32 else tf.cast(numbers, tf.int8), dtype)
    # The conversion of negative numbers to unsigned ones is undefined.
    return tf.cast(tf.abs(numbers) if dtype.is_unsigned else numbers, dtype)


@st.composite
def typed(
    draw: st.DrawFn, types: Sequence[Any], numbers: Sequence[str] = (INTEGERS, SPECIAL)
) -> tuple[Any, str]:
    """Draws a type, and the name of an input whose numbers it has: the conversion of special numbers to integers is undefined.

    Half of the time it is the first type, which an override computes with its own loops.
    """
    dtype = draw(st.sampled_from(types if draw(st.booleans()) else types[:1]))
    has_special = dtype.is_floating or dtype.is_complex
    return dtype, draw(st.sampled_from(numbers)) if has_special else INTEGERS


# Kernels of these ops are the same for all types.
_ANY_TYPE = frozenset({"Bitcast", "Cast", "Const", "Placeholder", "Reshape"})


def kernels(graph: Any) -> set[tuple[str, ...]]:
    """Returns the ops of a GraphDef with their types."""
    return {
        (
            node.op,
            *(
                f"{name} {node.attr[name].type}"
                for name in sorted(node.attr)
                if node.attr[name].type
            ),
        )
        for node in graph.node
        if node.op not in _ANY_TYPE
    }
