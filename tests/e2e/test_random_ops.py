"""Random ops are the same for the same seed, failures say how to repeat them, and the library has the kernels that they need."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

from tfcarve import full_tensorflow

os.environ.update(full_tensorflow.SETTINGS)

import numpy as np
import pytest
from hypothesis import strategies as st

from e2e.random_cases import comparisons, drawn_op, drawn_ops, random_ops
from e2e.random_cases.drawn_op import DrawnOp
from models import frozen

_NAN = np.float32(np.nan)
_OTHER_NAN = (np.array([_NAN]).view(np.uint32) + np.uint32(1)).view(np.float32)[0]


@pytest.mark.parametrize(
    ("actual", "expected", "tolerance", "signed_zeros", "are_equal"),
    [
        ([0.0, 1.5], [0.0, 1.5], 0, True, True),
        ([1.5], [1.5000001], 0, True, False),
        ([1.5], [1.5000001], 1e-6, True, True),
        ([-0.0], [0.0], 0, True, False),
        ([-0.0], [0.0], 0, False, True),
        ([-0.0], [-0.0], 0, True, True),
        ([_OTHER_NAN], [-_NAN], 0, True, True),
        ([_NAN], [0.0], 0, False, False),
        ([np.inf], [-np.inf], 0, False, False),
        ([1e-40], [0.0], 0, False, False),
        ([1.0], [1.0, 1.0], 0, False, False),
    ],
)
def test_comparison(
    actual: list[float],
    expected: list[float],
    tolerance: float,
    signed_zeros: bool,
    are_equal: bool,
) -> None:
    arrays = np.array(actual, np.float32), np.array(expected, np.float32)
    if are_equal:
        comparisons.check(*arrays, tolerance, signed_zeros)
    else:
        with pytest.raises(AssertionError):
            comparisons.check(*arrays, tolerance, signed_zeros)


def _texts(kind: str) -> list[str]:
    return [repr(op) for op in random_ops.drawn(kind, 20)]


def test_seed_decides(monkeypatch: pytest.MonkeyPatch) -> None:
    texts = _texts("products")
    assert texts == _texts("products")
    monkeypatch.setattr(random_ops, "SEED", random_ops.SEED + 1)
    assert texts != _texts("products")


def _full(graph: Any, fed: Any, _: str, threads: int) -> Any:
    """Runs the graph in full TensorFlow instead of a carved library."""
    assert threads in (1, 2)
    (output,) = frozen.run(graph, {frozen.INPUT: fed}, [frozen.OUTPUT])
    return output


def _wrong(graph: Any, fed: Any, path: str, threads: int) -> Any:
    """Returns a zero with another sign."""
    output = np.append(np.float32(0), _full(graph, fed, path, threads))
    return np.where(output == 0, -output, output)[1:]


def _check(kind: str, run: Any = _full, examples: int = 9) -> None:
    random_ops.check(kind, run, examples, ["avx2"], (1, 2))


def test_ops_are_counted(capsys: pytest.CaptureFixture[str]) -> None:
    _check("pairs")
    seed = f"--test_env=TFCARVE_SEED={random_ops.SEED}"
    assert capsys.readouterr().out == f"pairs: 9 random ops: {seed} repeats this\n"


@pytest.fixture(name="only")
def _only(monkeypatch: pytest.MonkeyPatch) -> DrawnOp:
    """The only op that there is."""
    only = DrawnOp("the only one", lambda flat: [flat], signed_zeros=True)
    monkeypatch.setattr(drawn_ops, "KINDS", {"small": st.just(only)})
    return only


def test_failure_is_repeatable(only: DrawnOp) -> None:
    with pytest.raises(AssertionError, match="the signs of zeros differ") as caught:
        _check("small", _wrong)
    (note,) = (note for note in caught.value.__notes__ if note.startswith("small: "))
    assert note.startswith(f"small: {only!r}, avx2, 1 threads: ")
    assert note.endswith(f": --test_env=TFCARVE_SEED={random_ops.SEED} repeats this")


@pytest.mark.usefixtures("only")
def test_too_few_ops_are_refused() -> None:
    with pytest.raises(AssertionError, match="small: only . of 9 random ops"):
        _check("small")


@pytest.fixture(name="built", scope="module")
def _built() -> set[tuple[str, ...]]:
    return drawn_op.kernels(drawn_ops.all_kernels())


@pytest.mark.parametrize("kind", drawn_ops.KINDS)
def test_library_has_all_kernels(kind: str, built: set[tuple[str, ...]]) -> None:
    needed: Mapping[tuple[str, ...], str] = {
        kernel: repr(op)
        for op in random_ops.drawn(kind, 40)
        for kernel in drawn_op.kernels(op.graph())
    }
    assert {kernel: text for kernel, text in needed.items() if kernel not in built} == {}
    # The control: kinds draw their own ops.
    assert needed.keys() - drawn_op.kernels(drawn_op.graph(lambda flat: [flat]))
