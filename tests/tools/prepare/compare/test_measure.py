"""Tests of the difference between two tensors, compared with manually computed figures."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from tfcarve.prepare.compare.measure import Difference, measure, measure_arrays
from tfcarve.prepare.graph import tensors


def _floats(a: list[Any], b: list[Any], dtype: str = "float32") -> Difference:
    return measure_arrays(np.array(a, dtype), np.array(b, dtype))


def test_differences_of_floats() -> None:
    found = _floats([0.0, 0.5, 100.0], [0.25, 0.5, 99.0])
    assert (found.elements, found.largest, found.total) == (3, 1.0, 1.25)
    assert found.mean == pytest.approx(1.25 / 3)
    assert found.error == 0.25, "1 in 100 is 0.01, and below 1 the absolute difference counts"


@pytest.mark.parametrize("number", [math.nan, math.inf, -math.inf])
def test_nan_and_infinity(number: float) -> None:
    assert _floats([number, 1.0], [number, 1.0]).error == 0
    for other in (1.0, math.nan, math.inf, -math.inf):
        if other != number and not (math.isnan(other) and math.isnan(number)):
            assert _floats([number], [other]).error == math.inf
            assert _floats([other], [number]).error == math.inf


def test_cosine() -> None:
    assert _floats([1, 0], [0, 2]).cosine == 0
    assert _floats([1, 1], [3, 3]).cosine == pytest.approx(1)
    assert _floats([1, 1], [-3, -3]).cosine == pytest.approx(-1)
    assert _floats([1e200, 0], [1e200, 1e200], "float64").cosine == pytest.approx(math.sqrt(0.5))
    assert _floats([0, 0], [0, 0]).cosine == 1
    assert _floats([0, 0], [0, 1]).cosine == 0
    assert _floats([math.nan, 1], [1, 1]).cosine is None
    assert _floats([1j], [1j], "complex64").cosine == pytest.approx(1)


def test_classes() -> None:
    a = np.eye(4, 10, dtype=np.float32)
    b = a.copy()
    b[1, 7] = 2.0  # another class is best: the right one is second
    b[2, 4:9] = 2.0  # five others are better
    found = measure_arrays(a, b)
    assert (found.rows, found.top1, found.top5) == (4, 0.5, 0.75)
    same = measure_arrays(a, a)
    assert (same.top1, same.top5) == (1.0, 1.0)


@pytest.mark.parametrize("shape", [(), (4, 1), (2, 3, 10), (0, 10)])
def test_outputs_that_are_not_class_scores(shape: tuple[int, ...]) -> None:
    values = np.zeros(shape, np.float32)
    found = measure_arrays(values, values)
    assert (found.top1, found.top5) == (None, None)


def test_five_classes_have_no_top5() -> None:
    found = _floats([1, 0, 0, 0, 0], [0, 1, 0, 0, 0])
    assert (found.top1, found.top5) == (0.0, None)


@pytest.mark.parametrize(
    ("dtype", "a", "b", "largest"),
    [
        ("int32", [1, 5], [1, 2], 3.0),
        ("uint8", [0], [255], 255.0),
        ("int64", [2**62], [2**62 + 1], 1.0),
        ("bool", [True, False], [True, True], 1.0),
        ("object", [b"a", b""], [b"a", b"b"], 1.0),
    ],
)
def test_other_types_must_be_equal(dtype: str, a: list[Any], b: list[Any], largest: float) -> None:
    x, y = np.array(a, dtype), np.array(b, dtype)
    assert measure_arrays(x, x) == Difference(len(a))
    found = measure_arrays(x, y)
    assert (found.error, found.largest) == (math.inf, largest)


def test_types_and_shapes_that_differ() -> None:
    one = tensors.from_array(np.zeros((1, 2), np.float32))
    longer = tensors.from_array(np.zeros((1, 3), np.float32))
    wide = tensors.from_array(np.zeros((1, 2), np.float64))
    assert measure(one, one, "y").error == 0
    for other, text in ((longer, "float32 [1, 3]"), (wide, "float64 [1, 2]")):
        found = measure(one, other, "y")
        assert found.error == math.inf
        assert found.problem == f"float32 [1, 2] and {text}"


def test_several_samples() -> None:
    near, far = _floats([1, 0, 0], [1, 0, 0.5]), _floats([0, 1, 0], [1, 0, 0])
    for both in (near.with_sample(far), far.with_sample(near)):
        assert (both.elements, both.largest, both.total, both.cosine) == (6, 1, 2.5, 0)
        assert (both.rows, both.top1) == (2, 0.5)
