"""How far the outputs of another release of TensorFlow may be from Keras' outputs."""

from __future__ import annotations

_TOLERANCE = 1e-6
# The logarithm of small numbers, and 16 bits.
_OTHERS = {"mel_spectrogram": 1e-4}


def tolerance(name: str) -> float:
    """Returns the largest accepted difference of a model's outputs, in units of 1 + |expected|."""
    return _OTHERS.get(name, _TOLERANCE)
