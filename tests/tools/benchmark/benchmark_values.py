"""Benchmarks for tests."""

from typing import Any

from tfcarve.benchmark.emulated import Instructions
from tfcarve.benchmark.measurement import Measurement, Node, Op, Output, Statistics
from tfcarve.benchmark.report import Benchmark

_STATISTICS = Statistics(min=9.0, median=10.0, p95=12.5, mean=10.5, stddev=0.25)
_OUTPUTS = (Output(dtype=1, dims=(1, 8, 8, 4)),)

CONV = Node(
    name="conv",
    op="Conv2D",
    inputs=("x", "filter"),
    calls=1,
    ms=8.0,
    share=0.8,
    bytes=4e6,
    outputs=_OUTPUTS,
)
RELU = Node(
    name="relu", op="Relu", inputs=("conv",), calls=1, ms=2.0, share=0.2, bytes=0, outputs=_OUTPUTS
)


def measurement(**changes: Any) -> Measurement:
    """A measurement of a convolution and an activation."""
    values: dict[str, Any] = {
        "version": 1,
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
        "ops": (
            Op(op="Conv2D", nodes=1, calls=1, ms=8.0, share=0.8, bytes=4e6),
            Op(op="Relu", nodes=1, calls=1, ms=2.0, share=0.2, bytes=0),
        ),
    }
    return Measurement(**values | changes)


def benchmark(emulated: bool = False, **changes: Any) -> Benchmark:
    """A benchmark with that measurement and the convolution's multiply-adds."""
    instructions = Instructions(27_000_000, 90_000_000) if emulated else None
    cpu = "aarch64" if emulated else "x86_64"
    values: dict[str, Any] = {"multiply_adds": (20_000_000, 0)}
    return Benchmark(
        "benchmark_model", cpu, measurement(), instructions=instructions, **values | changes
    )


def document() -> dict[str, Any]:
    """The report of benchmark_model for that measurement."""
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
