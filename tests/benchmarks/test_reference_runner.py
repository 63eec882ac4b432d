"""Tests of timing a reference."""

from __future__ import annotations

import numpy as np

from benchmarks.inference import reference_runner


def test_times_each_run() -> None:
    calls = []

    def run() -> reference_runner.Array:
        calls.append(1)
        return np.zeros(1)

    wall, cpu = reference_runner.timed(run, 5)
    assert len(calls) == 5
    assert wall.min > 0
    assert cpu.min >= 0
