"""Comparison of a kernel's output with full TensorFlow's."""

from __future__ import annotations

import numpy as np

from models.frozen import Array


def check(actual: Array, expected: Array, tolerance: float, signed_zeros: bool) -> None:
    """Checks that two arrays have the same type and shape, and equal elements; a NaN equals each other NaN.

    Args:
      actual: the output.
      expected: full TensorFlow's output.
      tolerance: permitted difference, relative and absolute; 0: none.
      signed_zeros: whether -0 differs from +0.

    Raises:
      AssertionError: they differ.
    """
    assert (actual.dtype, actual.shape) == (expected.dtype, expected.shape)
    np.testing.assert_allclose(actual, expected, tolerance, tolerance)
    if signed_zeros:
        zeros = expected == 0
        np.testing.assert_array_equal(
            np.signbit(actual[zeros]), np.signbit(expected[zeros]), "the signs of zeros differ"
        )
