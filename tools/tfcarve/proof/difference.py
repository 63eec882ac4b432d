"""Compares an output with the expected array, by the rules of tools/runtime/programs/compare.cc. Pure."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]

# The permitted difference of elements, times 1 + |expected|: the absolute and the relative tolerance of numpy.isclose. The
# tolerances of float32 and float64 apply to complex64 and complex128 too. Elements of other types must be equal.
TOLERANCES = MappingProxyType({"float16": 1e-2, "float32": 1e-5, "float64": 1e-9})

# The number of a string's bytes that a message shows; tools/runtime/programs/compare.cc shows as many.
_SHOWN = 40
_PART = MappingProxyType({"complex64": "float32", "complex128": "float64"})


def type_name(dtype: "np.dtype[Any]") -> str:
    """Returns TensorFlow's name of a type; NumPy has several for strings."""
    return "string" if dtype.kind in "SUO" else dtype.name


def number_type(dtype: "np.dtype[Any]") -> str:
    """Returns the name of a type; for complex64 and complex128, of the type of their parts. TOLERANCES has these names."""
    name = type_name(dtype)
    return _PART.get(name, name)


def difference(actual: Array, expected: Array, tolerances: Mapping[str, float] = TOLERANCES) -> str:
    """Compares an array with the expected one.

    Args:
      actual: the output; strings are bytes objects.
      expected: the expected array; strings are bytes objects.
      tolerances: the permitted difference for each type of TOLERANCES.

    Returns:
      "" if types, shapes and, within the tolerance, all elements are equal; NaN equals NaN. Otherwise a text: the number
      of different elements, and the position and both values of the largest difference.
    """
    found, wanted = type_name(actual.dtype), type_name(expected.dtype)
    if found != wanted:
        return f"has type {found}, not {wanted}"
    if actual.shape != expected.shape:
        return f"has shape {list(actual.shape)}, not {list(expected.shape)}"
    part = number_type(expected.dtype)
    if part not in TOLERANCES:
        return _exact_difference(actual.reshape(-1), expected.reshape(-1))
    return _float_difference(
        _numbers(actual, part),
        _numbers(expected, part),
        tolerances.get(part, 0.0),
        1 if part == found else 2,
    )


def largest_difference(actual: Array, expected: Array) -> float:
    """Returns the largest difference of two arrays of numbers with equal types and shapes, in units of 1 + |expected|."""
    part = number_type(expected.dtype)
    numbers = (_numbers(array, part).astype(np.float64) for array in (actual, expected))
    return float(np.max(_distances(*numbers), initial=0))


def _exact_difference(actual: Array, expected: Array) -> str:
    differs = np.not_equal(actual, expected).astype(bool)
    if not differs.any():
        return ""
    first = int(np.argmax(differs))
    kind, text = ("strings", _quoted) if actual.dtype.kind in "SUO" else ("numbers", str)
    return (
        f"differs in {np.count_nonzero(differs)} of {differs.size} {kind}; "
        f"element {first} is {text(actual[first])}, not {text(expected[first])}"
    )


def _quoted(string: bytes) -> str:
    """Returns the start of a string, with escapes."""
    return f"{string[:_SHOWN]!r}{'…' if len(string) > _SHOWN else ''}"


def _float_difference(actual: Array, expected: Array, allowed: float, parts: int) -> str:
    """Compares numbers. `parts` is the number of numbers in an element: 2 if it is complex."""
    distances = _distances(actual.astype(np.float64), expected.astype(np.float64))
    wrong = int(np.count_nonzero(distances > allowed))
    if not wrong:
        return ""
    worst = int(np.argmax(distances))
    return (
        f"differs in {wrong} of {distances.size} numbers by more than the tolerance, {allowed:.3g} * (1 + |expected|); "
        f"{'' if wrong == 1 else 'the worst: '}element {worst // parts} is {_text(actual[worst])}, not {_text(expected[worst])}"
    )


def _text(number: Any) -> str:
    """Returns a number with all its digits, as printf's %.Ng."""
    digits = {2: 5, 4: 9, 8: 17}[number.dtype.itemsize]
    return f"{float(number):.{digits}g}"


def _numbers(array: Array, part: str) -> Array:
    """Returns the numbers in an array, of complex elements both parts."""
    return np.ascontiguousarray(array).reshape(-1).view(part)


def _distances(actual: Array, expected: Array) -> Array:
    """Returns the distances between numbers, in units of 1 + |expected|; infinite where only one of two is NaN."""
    with np.errstate(all="ignore"):
        distances: Array = np.abs(actual - expected) / (1.0 + np.abs(expected))
    distances[np.isnan(distances)] = np.inf
    distances[(actual == expected) | (np.isnan(actual) & np.isnan(expected))] = 0.0
    return distances
