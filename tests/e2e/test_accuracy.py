"""Errors and special numbers that are not those of full TensorFlow are found, and the library has the kernels that the ops need."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tfcarve import full_tensorflow

os.environ.update(full_tensorflow.SETTINGS)

import numpy as np
import pytest
from hypothesis import strategies as st

from e2e.random_cases import accuracy, accurate_op, drawn_op, random_ops
from e2e.random_cases.accurate_op import AccurateOp, Exact, Numbers
from models import frozen

_NAN, _INF = np.nan, np.inf
_HALF_UNIT = 2.0**-24


def _exact(values: list[float], peak: float) -> Any:
    """Returns the rows of accurate_op.Exact for numbers whose errors are relative to themselves."""
    value = np.array(values)
    return np.stack([value, np.abs(value), np.full(value.shape, peak), np.zeros(value.shape)])


@pytest.mark.parametrize(
    ("actual", "expected", "values", "peak", "is_accurate"),
    [
        ([1.0, 2.0], [1.0, 2.0], [1.0, 2.0], 2.0, True),
        # Two halves of a unit, in an element that TensorFlow has exactly, and eight of them.
        ([1.0 + 2 * _HALF_UNIT], [1.0], [1.0], 1.0, True),
        ([1.0 + 8 * _HALF_UNIT], [1.0], [1.0], 1.0, False),
        ([1.0 + 8 * _HALF_UNIT], [1.0 + 4 * _HALF_UNIT], [1.0], 1.0, True),
        ([1.0 + 16 * _HALF_UNIT], [1.0 + 4 * _HALF_UNIT], [1.0], 1.0, False),
        ([_NAN], [_NAN], [_NAN], _NAN, True),
        ([_NAN], [1.0], [1.0], 1.0, False),
        ([1.0], [_NAN], [1.0], 1.0, False),
        ([_INF], [_INF], [_INF], _INF, True),
        ([-_INF], [_INF], [_INF], _INF, False),
        ([_INF], [3e38], [3e38], 3e38, True),
        ([_INF], [1e30], [1e30], 1e30, False),
    ],
)
def test_check(
    actual: list[float],
    expected: list[float],
    values: list[float],
    peak: float,
    is_accurate: bool,
) -> None:
    arrays = np.array(actual, np.float32), np.array(expected, np.float32), _exact(values, peak)
    if is_accurate:
        accuracy.check(*arrays)
    else:
        with pytest.raises(AssertionError):
            accuracy.check(*arrays)


def test_special_numbers_are_in_their_places() -> None:
    numbers = Numbers(1e7, 1.0, _INF, first=3, step=41).drawn(0)
    assert np.flatnonzero(np.isinf(numbers)).tolist() == list(range(3, numbers.size, 41))
    assert abs(np.median(numbers) - 1e7) < 1
    assert (Numbers(-1.0, 1e-30, is_positive=True).drawn(0) == 1).all()


@pytest.fixture(name="only")
def _only(monkeypatch: pytest.MonkeyPatch) -> AccurateOp:
    """The only op that there is: its output is the first numbers of its input."""

    def outputs(flat: Any) -> list[Any]:
        return [accurate_op.operand(flat, [5], 0)]

    def exact(flat: Any) -> list[Exact]:
        value = accurate_op.operand(flat, [5], 0)
        return [Exact(value, value)]

    only = AccurateOp("the only one", [Numbers(9.0, 1.0)], outputs, exact)
    monkeypatch.setattr(accuracy, "KINDS", {"small": st.just(only)})
    return only


def _run(graph: Any, fed: Any, _: str, threads: int) -> Any:
    assert threads in (1, 2, 3)
    (output,) = frozen.run(graph, {frozen.INPUT: fed}, [frozen.OUTPUT])
    return output


def _wrong(graph: Any, fed: Any, path: str, threads: int) -> Any:
    return _run(graph, fed, path, threads) * np.float32(1.000001)


def _refused(_graph: Any, _fed: Any, _path: str, _threads: int) -> Any:
    raise RuntimeError("refused\n")


@pytest.mark.parametrize(
    ("run", "error", "message"),
    [
        (_wrong, AssertionError, "halves of a unit, TensorFlow's is 0\n"),
        (_refused, RuntimeError, "refused"),
    ],
)
def test_failure_is_repeatable(
    run: Callable[[Any, Any, str, int], Any],
    error: type[Exception],
    message: str,
    only: AccurateOp,
) -> None:
    expected = accuracy.outputs(["small"])
    accuracy.check_kind("small", expected, _run, ["avx2"])
    with pytest.raises(error, match=message) as caught:
        accuracy.check_kind("small", expected, run, ["avx2"])
    (note,) = (note for note in caught.value.__notes__ if note.startswith("small 0: "))
    assert note == f"small 0: {only!r}, avx2: {random_ops.REPEATS}"


def test_fewer_examples(tmp_path: Path) -> None:
    """The process without oneDNN draws the same ops as this one."""
    expected = accuracy.computed(tmp_path, 2)
    assert set(expected) == {f"{kind} {number}" for kind in accuracy.TESTED for number in (0, 1)}
    accuracy.check_kind("pooling", expected, _run, [""], 2)
    with pytest.raises(KeyError):
        accuracy.check_kind("pooling", expected, _run, [""], 3)


@pytest.mark.parametrize("kind", accuracy.QUICK)
def test_library_has_all_kernels(kind: str) -> None:
    built = drawn_op.kernels(accuracy.quick_kernels())
    needed = {kernel for op in accuracy.drawn(kind) for kernel in drawn_op.kernels(op.graph())}
    assert needed <= built
    # The control: kinds draw their own ops.
    assert needed - drawn_op.kernels(drawn_op.graph(lambda flat: [flat]))
