"""Tests of comparing an output with the expected array."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tfcarve.proof.difference import difference


def _floats(*numbers: float) -> Any:
    return np.array(numbers, np.float32)


def _strings(*texts: bytes) -> Any:
    return np.array(texts, object)


@pytest.mark.parametrize(
    ("actual", "expected"),
    [
        (_floats(1, 2), _floats(1, 2)),
        (_floats(0), _floats(9e-6)),
        (_floats(1.000019), _floats(1)),
        (_floats(-100_000.5), _floats(-100_000)),
        (_floats(np.nan, np.inf, -np.inf), _floats(np.nan, np.inf, -np.inf)),
        (_floats(), _floats()),
        (np.float64(1), np.float64(1 + 1e-10)),
        (np.array([1], np.float16), np.array([1.005], np.float16)),
        (np.array([1 + 2j], np.complex64), np.array([1 + 2.000009j], np.complex64)),
        (np.array([[3, 4]]), np.array([[3, 4]])),
        (np.array(True), np.array(True)),
        (_strings(b"a", b"\xff\0"), _strings(b"a", b"\xff\0")),
        (_strings(b"a"), np.array([b"a"])),
    ],
)
def test_equal(actual: Any, expected: Any) -> None:
    assert not difference(np.asarray(actual), np.asarray(expected))


@pytest.mark.parametrize(
    ("actual", "expected", "message"),
    [
        (np.array([1]), _floats(1), "has type int64, not float32"),
        (_strings(b"1"), _floats(1), "has type string, not float32"),
        (_floats(1), _floats(1, 2), "has shape [1], not [2]"),
        (_floats(1), np.float32(1), "has shape [1], not []"),
        (
            _floats(1, 2, 3.5),
            _floats(1, 2.5, 2.5),
            "differs in 2 of 3 numbers by more than the tolerance, 1e-05 * (1 + |expected|); "
            "the worst: element 2 is 3.5, not 2.5",
        ),
        (_floats(0), _floats(2e-5), "; element 0 is 0, not 1.99999995e-05"),
        (_floats(np.nan), _floats(1), "; element 0 is nan, not 1"),
        (_floats(1), _floats(np.inf), "; element 0 is 1, not inf"),
        (_floats(np.inf), _floats(-np.inf), "; element 0 is inf, not -inf"),
        (
            np.array([0, 1 + 2j], np.complex64),
            np.array([0, 1 + 1j], np.complex64),
            "differs in 1 of 4 numbers by more than the tolerance, 1e-05 * (1 + |expected|); element 1 is 2, not 1",
        ),
        (
            np.array([1, 2]),
            np.array([1, 3]),
            "differs in 1 of 2 numbers; element 1 is 2, not 3",
        ),
        (
            np.array([2**53 + 1]),
            np.array([2**53]),
            "element 0 is 9007199254740993, not 9007199254740992",
        ),
        (
            _strings(b"a\0"),
            _strings(b"a"),
            "differs in 1 of 1 strings; element 0 is b'a\\x00', not b'a'",
        ),
        (
            _strings(b"a" * 1000),
            _strings(b"b"),
            f"element 0 is b'{'a' * 40}'…, not b'b'",
        ),
    ],
)
def test_differences(actual: Any, expected: Any, message: str) -> None:
    assert message in difference(np.asarray(actual), np.asarray(expected))


def test_tolerances_are_those_of_the_type() -> None:
    one, other = _floats(1), _floats(1.01)
    assert difference(one, other, {"float64": 1})
    assert not difference(one, other, {"float32": 0.1})
    numbers = np.array([1]), np.array([2])
    assert difference(*numbers, {"int64": 0, "float32": 9})
