"""A benchmark as text tables. Pure."""

from collections.abc import Iterator, Mapping
from typing import Any

from tfcarve.benchmark.measurement import Statistics
from tfcarve.benchmark.report import Benchmark, gflops

_MEGA = 1e6


def summary(benchmark: Benchmark) -> Iterator[str]:
    """Yields the lines above the tables."""
    measurement = benchmark.measurement
    cpu = f" ({benchmark.cpu})" if benchmark.cpu else ""
    yield f"{measurement.model} in {benchmark.program}{cpu}"
    yield f"threads     {measurement.threads or 'one per core'}"
    if benchmark.instructions is None:
        yield from _times(benchmark)
    else:
        yield f"load, run   {benchmark.instructions.load_and_first_run:,} instructions"
        yield f"run         {benchmark.instructions.run:,} instructions"
    whole = benchmark.total_multiply_adds()
    if whole:
        least = "at least " if None in benchmark.multiply_adds else ""
        yield f"            {least}{whole:,.0f} multiply-adds{_ratio(benchmark, whole)}"


def _ratio(benchmark: Benchmark, whole: float) -> str:
    if benchmark.instructions is not None:
        return f": {benchmark.instructions.run / whole:.2f} instructions each"
    rate = gflops(whole, benchmark.measurement.wall_ms.median)
    return "" if rate is None else f": {rate:.1f} GFLOPS"


def _times(benchmark: Benchmark) -> Iterator[str]:
    measurement = benchmark.measurement
    yield f"load        {measurement.load_ms:10.3f} ms"
    yield f"first run   {measurement.first_ms:10.3f} ms"
    if measurement.runs:
        yield f"runs        {measurement.runs} after {measurement.warmup} warmup"
        yield "ms                 min     median        p95       mean     stddev"
        yield f"wall        {_row(measurement.wall_ms)}"
        yield f"CPU         {_row(measurement.cpu_ms)}"
    if measurement.peak_bytes is not None:
        peak, loaded, after = (
            f"{(size or 0) / _MEGA:.1f} MB"
            for size in (
                measurement.peak_bytes,
                measurement.anonymous_bytes_loaded,
                measurement.anonymous_bytes,
            )
        )
        yield f"memory      peak {peak}; anonymous {loaded} after loading, {after} after the runs"


def _row(of: Statistics) -> str:
    return " ".join(f"{x:10.3f}" for x in (of.min, of.median, of.p95, of.mean, of.stddev))


def _cells(
    benchmark: Benchmark, row: Any, multiply_adds: float | None, whole: float
) -> dict[str, str]:
    """Returns the cells of a row.

    Args:
      benchmark: the benchmark.
      row: a Node or an Op.
      multiply_adds: the multiply-adds of the row; None if unknown.
      whole: the known multiply-adds of one run.
    """
    cells = {"calls": f"{row.calls:>7.4g}", "MB": f"{row.bytes / _MEGA:>9.3f}"}
    if benchmark.instructions is None:
        cells |= {"ms": f"{row.ms:>10.3f}", "share": f"{row.share:>6.1%}"}
        rate = gflops(multiply_adds, row.ms)
        cells["GFLOPS"] = f"{rate:>7.1f}" if rate is not None else ""
    else:
        share = (multiply_adds or 0) / whole if whole else 0
        cells["share"] = f"{share:>6.1%}"
    unknown = multiply_adds is None
    cells["M mult-adds"] = "unknown" if unknown else f"{(multiply_adds or 0) / _MEGA:>11.3f}"
    return cells


def columns(benchmark: Benchmark, last: str) -> list[str]:
    """Returns the columns of a table whose last column is `last`."""
    if benchmark.instructions is None:
        return ["ms", "share", "calls", "MB", "M mult-adds", "GFLOPS", last]
    return ["M mult-adds", "share", "calls", "MB", last]


def ops(benchmark: Benchmark) -> list[Mapping[str, str]]:
    """Returns the rows of the table by op type."""
    whole = benchmark.total_multiply_adds()
    return [{**_cells(benchmark, op, count, whole), "op": op.op} for op, count in benchmark.ops()]


def nodes(benchmark: Benchmark, limit: int) -> list[Mapping[str, str]]:
    """Returns the rows of the `limit` slowest nodes; under qemu, of the nodes with the most multiply-adds."""
    by_time = benchmark.instructions is None
    whole = benchmark.total_multiply_adds()
    rows = sorted(benchmark.nodes(), key=lambda item: -(item[0].ms if by_time else item[1] or 0))
    return [
        {**_cells(benchmark, node, count, whole), "node": f"{node.name} ({node.op})"}
        for node, count in rows[:limit]
    ]
