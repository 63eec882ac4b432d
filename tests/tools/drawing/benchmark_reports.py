"""Size reports and benchmarks for tests."""

from __future__ import annotations

from collections.abc import Mapping

from tfcarve.benchmark.measurement import Statistics
from tfcarve.benchmark.report_json import Document, Node, Output
from tfcarve.drawing import figures
from tfcarve.drawing.figures import MeasuredNode
from tfcarve.size.report import Entry, Kernel, Report

_STATISTICS = Statistics(min=9.0, median=10.0, p95=12.5, mean=10.5, stddev=0.25)
_OUTPUTS = (Output("float32", (1, 8)),)


def document(times: Mapping[str, float], ops: Mapping[str, str] | None = None) -> Document:
    """A benchmark with the milliseconds of each node, whose op is `ops[node]` or Relu."""
    nodes = tuple(
        Node(name, (ops or {}).get(name, "Relu"), (), 1, ms, 0.1, 0, _OUTPUTS, None, None)
        for name, ms in times.items()
    )
    return Document(
        version=1,
        program="benchmark_model",
        cpu="x86_64",
        instructions=None,
        multiply_adds=0,
        model="m.pb",
        threads=1,
        warmup=1,
        runs=20,
        traced_runs=5,
        load_ms=30.0,
        first_ms=11.0,
        wall_ms=_STATISTICS,
        cpu_ms=_STATISTICS,
        peak_bytes=None,
        anonymous_bytes_loaded=None,
        anonymous_bytes=None,
        nodes=nodes,
        ops=(),
    )


def measured(times: Mapping[str, float]) -> list[MeasuredNode]:
    """The nodes of a benchmark with the milliseconds of each node."""
    outputs = (figures.Output("float32", (1, 8)),)
    return [MeasuredNode(name, ms, outputs) for name, ms in times.items()]


def sizes(of_ops: Mapping[str, int]) -> Report:
    """A size report in which only the given ops need bytes."""
    return Report(
        version=1,
        platform="linux_x86_64",
        sizes={"stripped": 1000, "text": 900, "gzip": 400},
        attributed=sum(of_ops.values()),
        models=("m.pb",),
        kernels=tuple(Kernel(f"{op}.cc", f"{op}Op", (op,), ("m.pb",)) for op in of_ops),
        definitions=(),
        entries=tuple(Entry("kernels", f"{op}.cc", f"{op}Op", "", n) for op, n in of_ops.items()),
    )
