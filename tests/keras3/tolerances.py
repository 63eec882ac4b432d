"""How far the outputs of another release of TensorFlow are, and may be, from Keras' outputs."""

from __future__ import annotations

from typing import Any

import numpy as np

from tfcarve.proof.difference import difference, largest_difference

Array = np.ndarray[Any, np.dtype[Any]]

_TOLERANCE = 1e-6
# The logarithm of small numbers, and 16 bits.
_OTHERS = {"mel_spectrogram": 1e-4}


def tolerance(name: str) -> float:
    """Returns the largest accepted difference of a model's outputs, in units of 1 + |expected|."""
    return _OTHERS.get(name, _TOLERANCE)


def error(found: Array, expected: Array) -> float:
    """Returns the largest difference of numbers, divided by 1 + |expected|; for others 0, or infinite if they differ."""
    if expected.dtype.kind in "fiu" and found.shape == expected.shape:
        return largest_difference(found, expected)
    return np.inf if difference(found, expected, {}) else 0
