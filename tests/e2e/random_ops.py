"""Random ops in a carved library compared with full TensorFlow's: bit by bit, where sums are exact.

Import tfcarve.full_tensorflow's SETTINGS into the environment first.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any

import numpy as np
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from e2e import drawn_ops
from e2e.drawn_ops import DrawnOp
from models import frozen

# Roots, exponential functions and means differ in their last bits.
_TOLERANCES = {"normalizations": 1e-4, "functions": 1e-6, "pooling": 1e-6}
# Sums of small integers are exact.
_INTEGERS = np.random.default_rng(frozen.SEED).integers(-3, 4, drawn_ops.SIZE).astype(np.float32)
_SPECIAL = (np.inf, -0.0, 1e-40, -1e-40, -np.inf, np.nan)
# With oneDNN, TensorFlow's softmax ignores NaN; the case "functions" has these numbers for the other functions. The maximum of
# NaN and a number depends on their order, and TensorFlow's maximum of -Inf alone is the lowest finite number.
_NUMBERS = {"functions": ("integers",), "pooling": ("integers", "comparable numbers")}


def _with(special: Sequence[float]) -> Any:
    """Returns _INTEGERS with one of the special numbers in every fortieth place."""
    drawn = np.random.default_rng(frozen.SEED)
    fed = _INTEGERS.copy()
    places = drawn.choice(fed.size, fed.size // 40, replace=False)
    fed[places] = drawn.choice(special, places.size)
    return fed


# Inputs by name, each [drawn_ops.SIZE] of float32.
INPUTS: Mapping[str, Any] = MappingProxyType(
    {
        "integers": _INTEGERS,
        "special numbers": _with(_SPECIAL),
        "comparable numbers": _with(_SPECIAL[:-2]),
    }
)


def _settings(examples: int) -> settings:
    return settings(
        max_examples=examples,
        deadline=None,
        database=None,
        derandomize=True,
        suppress_health_check=list(HealthCheck),
    )


def drawn(kind: str, examples: int) -> list[Any]:
    """Returns the GraphDefs of random ops of a kind, the same ones in each process."""
    found: list[Any] = []

    @_settings(examples)
    @given(op=drawn_ops.KINDS[kind])
    def take(op: DrawnOp) -> None:
        found.append(op.graph())

    take()
    return found


def check(
    kind: str,
    run: Callable[[Any, Any, str, int], Any],
    examples: int,
    paths: Sequence[str],
    threads: Sequence[int] = (1, 2, 8),
) -> None:
    """Compares the outputs of random ops, the same ones in each process; raises AssertionError.

    Args:
      kind: of drawn_ops.KINDS.
      run: runs a GraphDef in the carved library, with the input, an instruction set and the number of threads; returns
        the output, float32 in one dimension.
      examples: how many ops.
      paths: instruction sets to draw from.
      threads: numbers of threads to draw from.
    """

    @_settings(examples)
    @given(
        op=drawn_ops.KINDS[kind],
        path=st.sampled_from(paths),
        thread_count=st.sampled_from(threads),
        numbers=st.sampled_from(_NUMBERS.get(kind, ("integers", "special numbers"))),
    )
    def compare(op: DrawnOp, path: str, thread_count: int, numbers: str) -> None:
        graph, fed, tolerance = op.graph(), INPUTS[numbers], _TOLERANCES.get(kind, 0)
        (expected,) = frozen.run(graph, {frozen.INPUT: fed}, [frozen.OUTPUT])
        actual = run(graph, fed, path, thread_count)
        np.testing.assert_allclose(actual, expected, tolerance, tolerance)

    compare()
