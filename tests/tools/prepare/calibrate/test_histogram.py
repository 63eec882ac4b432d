"""Tests of the histogram of calibration and of the ranges that are chosen from it."""

import math

import numpy as np
import pytest

from tfcarve.prepare.calibrate import thresholds
from tfcarve.prepare.calibrate.histogram import SIDE, Histogram


def _drawn() -> np.random.Generator:
    return np.random.default_rng(1)


def _of(*arrays: object) -> Histogram:
    found = Histogram()
    for array in arrays:
        found = found.with_values(np.asarray(array, np.float32))
    return found


def test_no_values() -> None:
    assert Histogram().with_values(np.zeros((0, 3), np.float32)).total == 0


def test_ends_only() -> None:
    found = Histogram()
    assert found.is_empty
    for values in ([], [2.5, -1], [0.5]):
        found = found.with_ends(np.array(values, np.float32))
    assert (found.low, found.high, found.total, found.is_empty) == (-1, 2.5, 0, False)
    assert thresholds.chosen(found, "minmax", 0) == (-1, 2.5)


def test_bins() -> None:
    found = _of([0, 0, 1.5, -0.5, 3.999])
    assert (found.low, found.high) == (-0.5, np.float32(3.999))
    assert (found.zeros, found.total) == (2, 5)
    assert found.width == 4 / SIDE
    where = np.flatnonzero(found.counts) - SIDE
    assert where.tolist() == [-0.5 * SIDE / 4, 1.5 * SIDE / 4, SIDE - 1]


@pytest.mark.parametrize("scale", [1, 7, 3000, 1e30])
def test_it_grows_with_the_values(scale: float) -> None:
    """The histogram does not depend on the order of the values."""
    drawn = _drawn()
    small = drawn.normal(size=1000).astype(np.float32)
    large = (drawn.normal(size=1000) * scale).astype(np.float32)
    found = [_of(small, large), _of(large, small), _of([*small, *large])]
    for other in found[1:]:
        assert (other.low, other.high, other.exponent) == (
            found[0].low,
            found[0].high,
            found[0].exponent,
        )
        assert (other.counts == found[0].counts).all()
    largest = max(np.abs(small).max(), np.abs(large).max())
    assert SIDE / 2 * found[0].width <= largest <= SIDE * found[0].width


def test_memory_does_not_grow() -> None:
    found = Histogram()
    for number in range(50):
        found = found.with_values(np.full(100_000, number, np.float32))
    assert found.total == 5_000_000
    assert found.counts.size == 2 * SIDE


def test_minmax() -> None:
    assert thresholds.chosen(_of([-3, 2], [5]), "minmax", 0) == (-3, 5)


@pytest.mark.parametrize(
    ("values", "expected"), [([2, 3], (0, 3)), ([-3, -2], (-3, 0)), ([0, 0], (0, 1))]
)
def test_a_range_contains_0_and_is_not_empty(
    values: list[float], expected: tuple[float, float]
) -> None:
    for method in thresholds.METHODS:
        low, high = thresholds.chosen(_of(values), method, 99.9)
        assert (low, high) == pytest.approx(expected, rel=2 / SIDE)
        assert low <= 0 <= high
        assert low < high


def test_percentile_leaves_outliers_out() -> None:
    values = [*np.linspace(-1, 2, 10_000), 1000, -500]
    low, high = thresholds.chosen(_of(values), "percentile", 99.9)
    assert (low, high) == pytest.approx((-1, 2), abs=2 * 1024 / SIDE)
    # The control: all values are kept.
    assert thresholds.chosen(_of(values), "percentile", 100) == (-500, 1000)


def test_percentile_is_that_of_numpy() -> None:
    values = _drawn().normal(size=20_000).astype(np.float32)
    expected = np.percentile(values, [1, 99])
    found = thresholds.chosen(_of(values), "percentile", 99)
    assert found == pytest.approx(expected, abs=2 * np.abs(values).max() / SIDE)


def test_zeros_count_for_the_percentile() -> None:
    values = np.zeros(1000, np.float32)
    values[0] = 7
    assert thresholds.percentile(_of(values), 99) == (0, pytest.approx(0, abs=8 / SIDE))


def test_entropy_leaves_outliers_out() -> None:
    values = np.abs(_drawn().normal(size=100_000)).astype(np.float32)
    low, high = thresholds.chosen(_of(values, [40]), "entropy", 0)
    assert low == 0
    assert 2 < high < 20
    # The control: without outliers nearly all values are kept.
    even = _drawn().uniform(0, 1, 100_000).astype(np.float32)
    assert thresholds.chosen(_of(even), "entropy", 0)[1] > 0.95


def test_entropy_of_signed_values() -> None:
    values = _drawn().normal(size=100_000).astype(np.float32)
    low, high = thresholds.chosen(_of(values, [-60]), "entropy", 0)
    assert -20 < low < -2
    assert 2 < high <= values.max()


def test_entropy_of_few_values() -> None:
    assert thresholds.chosen(_of([0, 1e-30, 1e-31]), "entropy", 0)[1] == pytest.approx(1e-30)


def test_entropy_keeps_more_information_than_all_values() -> None:
    """Quantized to 255 levels, values with outliers differ less than with the whole range."""
    values = np.abs(_drawn().laplace(size=100_000)).astype(np.float32)
    values[:3] = 100
    errors = []
    for method in ("entropy", "minmax"):
        low, high = thresholds.chosen(_of(values), method, 0)
        step = (high - low) / 255
        errors.append(
            float(np.abs(np.clip(np.round(values / step), 0, 255) * step - values)[3:].mean())
        )
    assert errors[0] < errors[1] / 2
    assert math.isfinite(sum(errors))
