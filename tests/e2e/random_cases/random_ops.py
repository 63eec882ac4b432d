"""Random ops in a carved library compared with full TensorFlow's: bit by bit, where their results are exact.

The environment variable TFCARVE_SEED is the seed of the ops; without it, they are always the same. Import
tfcarve.full_tensorflow's SETTINGS into the environment first.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from hypothesis import given, seed
from hypothesis import strategies as st

from e2e.random_cases import comparisons, drawn_op, drawn_ops, seeded_examples
from e2e.random_cases.drawn_op import DrawnOp
from e2e.sessions import cpu_features
from models import frozen
from tfcarve.client.arrays import Array
from tfcarve.client.library import Library

_FLOAT = 1
SEED = int(os.environ.get("TFCARVE_SEED") or frozen.SEED)
REPEATS = f"--test_env=TFCARVE_SEED={SEED} repeats this"


def drawn(kind: str, examples: int) -> list[DrawnOp]:
    """Returns random ops of a kind, the same ones for the same SEED."""
    return seeded_examples.drawn(drawn_ops.KINDS[kind], examples, SEED)


def check(
    kind: str,
    run: Callable[[Any, Any, str, int], Any],
    examples: int,
    paths: Sequence[str],
    threads: Sequence[int] = (1, 2, 8),
    *,
    fused: bool = False,
) -> None:
    """Compares the outputs of random ops, the same ones for the same SEED; prints the seed and how many were compared.

    Args:
      kind: of drawn_ops.KINDS.
      run: runs a GraphDef in the carved library, with the input, an instruction set and the number of threads; returns
        the output, float32 in one dimension.
      examples: how many ops.
      paths: instruction sets to draw from.
      threads: numbers of threads to draw from.
      fused: whether the library fuses products and sums.

    Raises:
      AssertionError: an output differs, or fewer ops were compared. A note says which op, and how to repeat the test. All
        exceptions of `run` get this note.
    """
    compared = 0

    @seed(SEED)
    @seeded_examples.limited(examples)
    @given(
        op=drawn_ops.KINDS[kind],
        path=st.sampled_from(paths),
        thread_count=st.sampled_from(threads),
    )
    def compare(op: DrawnOp, path: str, thread_count: int) -> None:
        nonlocal compared
        graph, fed = op.graph(), drawn_op.INPUTS[op.numbers]
        (expected,) = frozen.run(graph, {frozen.INPUT: fed}, [frozen.OUTPUT])
        try:
            actual = run(graph, fed, path, thread_count)
            tolerance = max(op.tolerance, op.fused_tolerance) if fused else op.tolerance
            comparisons.check(actual, expected, tolerance, op.signed_zeros)
        except Exception as error:
            error.add_note(f"{kind}: {op}, {path or 'any CPU'}, {thread_count} threads: {REPEATS}")
            raise
        compared += 1

    compare()
    print(f"{kind}: {compared} random ops: {REPEATS}")
    # Hypothesis stops early if it has drawn all that there is.
    assert compared >= examples, f"{kind}: only {compared} of {examples} random ops"


def in_library(library: Library) -> Callable[[Any, Any, str, int], Any]:
    """Returns the function that runs a GraphDef in a library that this process has loaded; see check()."""

    def run(graph: Any, fed: Any, path: str, threads: int) -> Any:
        assert library.set_cpu(path)
        inputs = {frozen.INPUT: Array(_FLOAT, fed.shape, fed.tobytes())}
        serialized = graph.SerializeToString(deterministic=True)
        with (
            library.session_from_bytes(serialized, threads) as session,
            session.bind(inputs, [frozen.OUTPUT]).run() as result,
        ):
            return np.frombuffer(result.output(0).data, np.float32)

    return run


def check_library(kind: str, library: Library, examples: int) -> None:
    """As check(), in a library that this process has loaded, with each instruction set of this CPU."""
    check(kind, in_library(library), examples, cpu_features.supported())
