"""Benchmarks to test with."""

from typing import Any

from tfcarve.benchmark.emulated import Instructions
from tfcarve.benchmark.measured import Measured, Node, Op, Output, Statistics
from tfcarve.benchmark.report import Benchmark

_STATISTICS = Statistics(9.0, 10.0, 12.5, 10.5, 0.25)

CONV = Node("conv", "Conv2D", ("x", "filter"), 1, 8.0, 0.8, 4e6, (Output("float32", (1, 8, 8, 4)),))
RELU = Node("relu", "Relu", ("conv",), 1, 2.0, 0.2, 0, (Output("float32", (1, 8, 8, 4)),))


def measured(**changes: Any) -> Measured:
    """A benchmark of a convolution and an activation."""
    values: dict[str, Any] = {
        "model": "m.pb",
        "threads": 1,
        "warmup": 1,
        "runs": 20,
        "traced_runs": 5,
        "load_ms": 30.0,
        "first_ms": 11.0,
        "wall_ms": _STATISTICS,
        "cpu_ms": _STATISTICS,
        "peak_bytes": 50_000_000,
        "anonymous_bytes_loaded": 20_000_000,
        "anonymous_bytes": 40_000_000,
        "nodes": (CONV, RELU),
        "ops": (Op("Conv2D", 1, 1, 8.0, 0.8, 4e6), Op("Relu", 1, 1, 2.0, 0.2, 0)),
    }
    return Measured(**values | changes)


def benchmark(emulated: bool = False, **changes: Any) -> Benchmark:
    """The same, with the convolution's multiply-adds."""
    instructions = Instructions(27_000_000, 90_000_000) if emulated else None
    cpu = "aarch64" if emulated else "x86_64"
    values: dict[str, Any] = {"multiply_adds": (20_000_000, 0)}
    return Benchmark(
        "benchmark_model", cpu, measured(), instructions=instructions, **values | changes
    )


def document() -> dict[str, Any]:
    """What benchmark_model writes of it."""
    statistics = {"min": 9.0, "median": 10.0, "p95": 12.5, "mean": 10.5, "stddev": 0.25}
    output = {"dtype": 1, "dims": [1, 8, 8, 4]}
    return {
        "version": 1,
        "model": "m.pb",
        "threads": 1,
        "warmup": 1,
        "runs": 20,
        "traced_runs": 5,
        "load_ms": 30.0,
        "first_ms": 11,
        "wall_ms": statistics,
        "cpu_ms": dict(statistics),
        "peak_bytes": 50_000_000,
        "anonymous_bytes_loaded": 20_000_000,
        "anonymous_bytes": 40_000_000,
        "nodes": [
            {
                "name": "conv",
                "op": "Conv2D",
                "inputs": ["x", "filter"],
                "calls": 1,
                "ms": 8.0,
                "share": 0.8,
                "bytes": 4e6,
                "outputs": [output],
            },
            {
                "name": "relu",
                "op": "Relu",
                "inputs": ["conv"],
                "calls": 1,
                "ms": 2.0,
                "share": 0.2,
                "bytes": 0,
                "outputs": [dict(output)],
            },
        ],
        "ops": [
            {"op": "Conv2D", "nodes": 1, "calls": 1, "ms": 8.0, "share": 0.8, "bytes": 4e6},
            {"op": "Relu", "nodes": 1, "calls": 1, "ms": 2.0, "share": 0.2, "bytes": 0},
        ],
    }
