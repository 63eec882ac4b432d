"""The process of a peer: its figures."""

from __future__ import annotations

import numpy as np
import pytest

from benchmarks import peer


def test_spread_has_what_benchmark_model_has() -> None:
    spread = peer.spread([4.0, 1.0, 3.0, 2.0])
    assert list(spread) == ["min", "median", "p95", "mean", "stddev"]
    assert (spread["min"], spread["median"], spread["p95"], spread["mean"]) == (1.0, 2.5, 4.0, 2.5)
    assert spread["stddev"] == pytest.approx(1.291, abs=1e-3)
    assert peer.spread([4.0])["stddev"] == 0


@pytest.mark.parametrize(("count", "expected"), [(1, 1.0), (19, 19.0), (20, 19.0), (100, 95.0)])
def test_p95_is_a_run_that_95_of_100_do_not_exceed(count: int, expected: float) -> None:
    assert peer.spread([float(one + 1) for one in range(count)])["p95"] == expected


def test_each_run_is_timed() -> None:
    calls = []

    def run() -> peer.Array:
        calls.append(1)
        return np.zeros(1)

    times = peer.timed(run, 5)
    assert len(calls) == 5
    assert set(times) == {"wall_ms", "cpu_ms"}
    assert times["wall_ms"]["min"] > 0


def test_memory_is_read_from_the_status() -> None:
    status = "Name:\tpython\nVmRSS:\t  900 kB\nRssAnon:\t   512 kB\nRssFile:\t  388 kB\n"
    assert peer.status_bytes(status, "RssAnon") == 512 * 1024
    with pytest.raises(ValueError, match="no VmHWM"):
        peer.status_bytes(status, "VmHWM")
