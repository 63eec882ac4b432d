"""Tests of the benchmark of quantized models: its page."""

from __future__ import annotations

from benchmarks.inference import quantize_speed
from benchmarks.inference.quantize_speed import Timed
from tfcarve.benchmark.measurement import Op


def _timed(ms: float) -> Timed:
    slowest = Op("QuantizedConv2D", 3, 3.0, 1.25, 0.2, 10)
    return Timed(1000, 2000, 1e-3, {"baseline": ms, "avx2": ms / 2}, [slowest])


def test_report() -> None:
    timed = {"model": {"float": _timed(8.0), "bytes": _timed(2.0)}}
    counted = {("model", "linux_arm64"): {"float": 3000, "bytes": 4500}}
    lines = quantize_speed.report(timed, counted, "a machine").splitlines()
    for line in (
        "| model | baseline | 8.0 | 2.0 | 0.25 |",
        "| model | avx2 | 4.0 | 1.0 | 0.25 |",
        "| model | bytes | 1,000 | 2,000 | 1.0e-03 |",
        "| model | linux_arm64 | 3,000 | 4,500 | 1.50 |",
        "| QuantizedConv2D | 3 | 1.25 |",
    ):
        assert line in lines


def test_report_without_emulated_platforms() -> None:
    timed = {"model": {"float": _timed(8.0), "bytes": _timed(2.0)}}
    assert "qemu" not in quantize_speed.report(timed, {}, "a machine")
