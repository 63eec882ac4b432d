"""Errors of a carved library's kernels compared with those of full TensorFlow's, both against double precision.

    python -m e2e.random_cases.accuracy FILE COUNT

writes what full TensorFlow computes for COUNT random ops of each kind of this run to FILE, an .npz archive. Import
tfcarve.full_tensorflow's SETTINGS into the environment first.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np
from hypothesis import strategies as st

import extent
from e2e.graphs import without_onednn
from e2e.random_cases import (
    accurate_elements,
    accurate_fused,
    accurate_layers,
    drawn_op,
    random_ops,
    seeded_examples,
)
from e2e.random_cases.accurate_op import AccurateOp
from models import frozen

KINDS: Mapping[str, st.SearchStrategy[AccurateOp]] = MappingProxyType(
    {**accurate_layers.KINDS, **accurate_fused.KINDS, **accurate_elements.KINDS}
)
# Those of a quick run: their kernels compile quickly, or other models of the same library need them.
QUICK = (
    *("products", "convolutions", "depthwise", "pooling", "normalizations"),
    *("softmax", "functions"),
)
# Those of this run.
TESTED = extent.some(tuple(KINDS), *QUICK)
# The name of the graph of quick_kernels.
NAME = "accurate"
# Permitted error: this many times TensorFlow's, and some halves of a unit in the last place.
TIMES, HALF_UNITS = 2, 4
_HALF_UNIT = 2.0**-24
# Numbers above it may overflow in one order of the terms and not in another one.
_LARGE = float(np.finfo(np.float32).max) / 8
# Random ops of each kind.
EXAMPLES = extent.of(12, 100)


def drawn(kind: str, examples: int = EXAMPLES) -> list[AccurateOp]:
    """Returns random ops of a kind, the same ones for the same seed and number of examples."""
    return seeded_examples.drawn(KINDS[kind], examples, random_ops.SEED)


def quick_kernels() -> Any:
    """Returns a GraphDef with the kernels of a quick run."""
    parts = (accurate_layers, accurate_fused, accurate_elements)
    return drawn_op.graph(lambda flat: [output for part in parts for output in part.outputs(flat)])


def _key(kind: str, number: int) -> str:
    return f"{kind} {number}"


def computed(folder: Path, examples: int = EXAMPLES) -> Mapping[str, Any]:
    """Returns what full TensorFlow computes for the ops of TESTED, without oneDNN, whose algorithms are others."""
    return without_onednn.computed(__name__, folder, str(examples))


def error(output: Any, exact: Any) -> float:
    """Returns the largest error of finite elements, in halves of a unit in the last place of what is rounded."""
    value, size, _, least = exact
    unit = size * _HALF_UNIT + least + np.finfo(np.float64).tiny
    with np.errstate(invalid="ignore", over="ignore"):
        errors = np.abs(output.astype(np.float64) - value) / unit
    defined = _is_defined(exact) & np.isfinite(value) & np.isfinite(output) & np.isfinite(errors)
    return float(np.max(errors, where=defined, initial=0))


def _is_defined(exact: Any) -> Any:
    """Whether the order of terms cannot make an element overflow."""
    peak = exact[2]
    return ~np.isfinite(peak) | (peak <= _LARGE)


def check(actual: Any, expected: Any, exact: Any) -> None:
    """Checks an output.

    Args:
      actual: the output, float32.
      expected: full TensorFlow's output.
      exact: value, size, peak and least of accurate_op.Exact, a row each.

    Raises:
      AssertionError: NaN and infinity are elsewhere, or the error is more than TIMES TensorFlow's and HALF_UNITS.
    """
    defined = _is_defined(exact)
    for name, found in (("NaN", np.isnan), ("Inf", np.isposinf), ("-Inf", np.isneginf)):
        differ = np.flatnonzero(defined & (found(actual) != found(expected)))
        assert not differ.size, (
            f"{name}: element {differ[0]} is {actual[differ[0]]}, not {expected[differ[0]]}"
        )
    ours, theirs = error(actual, exact), error(expected, exact)
    assert ours <= TIMES * theirs + HALF_UNITS, (
        f"the error is {ours:.3g} halves of a unit, TensorFlow's is {theirs:.3g}"
    )


def check_kind(
    kind: str,
    expected: Mapping[str, Any],
    run: Callable[[Any, Any, str, int], Any],
    paths: Sequence[str],
    examples: int = EXAMPLES,
) -> None:
    """Checks random ops of a kind.

    Args:
      kind: of KINDS.
      expected: of computed(), for as many examples.
      run: as in random_ops.check.
      paths: instruction sets.
      examples: how many ops.

    Raises:
      AssertionError: see check(). A note says which op. All exceptions of `run` get this note.
    """
    for number, op in enumerate(drawn(kind, examples)):
        key, fed = _key(kind, number), op.fed()
        (exact,) = frozen.run(op.exact_graph(), {frozen.INPUT: fed}, [frozen.OUTPUT])
        for path in paths:
            try:
                actual = run(op.graph(), fed, path, 1 + number % 3)[:-1]
                check(actual, expected[key], exact)
            except Exception as failure:
                failure.add_note(f"{key}: {op}, {path or 'any CPU'}: {random_ops.REPEATS}")
                raise


def outputs(kinds: Sequence[str], examples: int = EXAMPLES) -> Mapping[str, Any]:
    """Returns what full TensorFlow computes in this process for random ops of kinds."""
    return {
        _key(kind, number): frozen.run(op.graph(), {frozen.INPUT: op.fed()}, [frozen.OUTPUT])[0][
            :-1
        ]
        for kind in kinds
        for number, op in enumerate(drawn(kind, examples))
    }


if __name__ == "__main__":
    np.savez(sys.argv[1], **outputs(TESTED, int(sys.argv[2])))
