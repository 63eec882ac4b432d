"""A benchmark as one self-contained HTML file: time and bytes of each op type. Pure."""

from dataclasses import dataclass

from tfcarve.benchmark import tables
from tfcarve.benchmark.report import Benchmark, gflops
from tfcarve.emit import templates
from tfcarve.size.owners import op_bytes
from tfcarve.size.report import Report

_MAX_NODES = 100


@dataclass(frozen=True, slots=True)
class Bar:
    """An op type on the page.

    Attributes:
      op: its name.
      share: the op's share of the time, or under qemu of the multiply-adds; from 0 to 1.
      figure: the time or the multiply-adds, as text.
      remark: nodes, calls and rate.
      bytes: the bytes of the library that only this op needs; None without a size report.
      bytes_share: of the bytes of all ops, from 0 to 1.
    """

    op: str
    share: float
    figure: str
    remark: str
    bytes: int | None
    bytes_share: float


def page(benchmark: Benchmark, sizes: Report | None) -> bytes:
    """Returns the page.

    Args:
      benchmark: the benchmark to show.
      sizes: the size report of the benchmark's library; None for a page without sizes.
    """
    by_time = benchmark.instructions is None
    shown = tables.nodes(benchmark, _MAX_NODES)
    return templates.fill(
        "benchmark.html.j2",
        benchmark=benchmark,
        summary=list(tables.summary(benchmark)),
        bars=_bars(benchmark, sizes),
        by_time=by_time,
        sizes=sizes,
        columns=tables.columns(benchmark, "node"),
        nodes=shown,
        more=max(len(benchmark.measurement.nodes) - len(shown), 0),
    )


def _bars(benchmark: Benchmark, sizes: Report | None) -> list[Bar]:
    of_ops = op_bytes(sizes) if sizes is not None else {}
    most = sum(of_ops.values()) or 1
    whole = benchmark.total_multiply_adds() or 1
    bars = []
    for op, count in benchmark.ops():
        rate = gflops(count, op.ms) if benchmark.instructions is None else None
        by_time = benchmark.instructions is None
        size = of_ops.pop(op.op, 0) if sizes is not None else None
        bars.append(
            Bar(
                op.op,
                op.share if by_time else (count or 0) / whole,
                f"{op.ms:,.3f} ms" if by_time else f"{(count or 0) / 1e6:,.3f} M multiply-adds",
                f"{op.nodes} nodes, {op.calls:.4g} calls"
                + (f", {rate:.1f} GFLOPS" if rate is not None else ""),
                size,
                (size or 0) / most,
            )
        )
    # Ops of other models, or in branches that were not taken.
    bars += [
        Bar(op, 0, "not executed", "", size, size / most) for op, size in of_ops.items() if size
    ]
    return bars
