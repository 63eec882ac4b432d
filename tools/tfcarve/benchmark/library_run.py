"""Measures a model in a shared library, like benchmark_model. Runs in a process of its own: a library is never unloaded.

`python -m tfcarve.benchmark.library_run LIBRARY` takes the options of benchmark_model that task.arguments
returns, and writes JSON in the form of benchmark_model. The memory of Python itself is subtracted.
"""

import argparse
import math
import statistics
import sys
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from tfcarve import files, json_codec
from tfcarve.benchmark.measurement import Measurement, Node, Op, Output, Statistics
from tfcarve.benchmark.process_status import status_bytes
from tfcarve.client import arrays
from tfcarve.client.arrays import Array
from tfcarve.client.call_error import CallError
from tfcarve.client.library import Library
from tfcarve.client.result import NodeRun
from tfcarve.client.session import BoundSession
from tfcarve.errors import InvalidInput

_NANOS_PER_MILLI = 1e6


def _since(field: str, before: int | None) -> int | None:
    now = status_bytes(field)
    return None if now is None or before is None else max(now - before, 0)


def statistics_of(samples: Sequence[float]) -> Statistics:
    """Returns the statistics that tools/runtime/programs/statistics.cc computes; all are 0 if there are no samples."""
    if not samples:
        return Statistics(min=0.0, median=0.0, p95=0.0, mean=0.0, stddev=0.0)
    ordered = sorted(samples)
    return Statistics(
        min=ordered[0],
        median=statistics.median(ordered),
        p95=ordered[math.ceil(len(ordered) * 0.95) - 1],
        mean=statistics.fmean(ordered),
        stddev=statistics.stdev(ordered) if len(ordered) > 1 else 0.0,
    )


@dataclass
class _Total:
    """The executions of a node in all traced runs; the last one is the last execution."""

    last: NodeRun
    calls: int = 0
    nanos: int = 0
    bytes: int = 0


def node_totals(runs: Sequence[Sequence[NodeRun]]) -> list[Node]:
    """Returns the nodes of traced runs, with the averages that tools/runtime/programs/benchmark_report.cc computes."""
    totals: dict[tuple[str, str], _Total] = {}
    for one in (one for run in runs for one in run):
        total = totals.setdefault((one.node, one.op), _Total(one))
        total.last = one
        total.calls += 1
        total.nanos += one.duration_ns
        total.bytes += one.allocated_bytes
    whole = sum(total.nanos for total in totals.values())
    return [
        Node(
            name=name,
            op=op,
            inputs=tuple(total.last.inputs.split(", ")) if total.last.inputs else (),
            calls=total.calls / len(runs),
            ms=total.nanos / _NANOS_PER_MILLI / len(runs),
            share=total.nanos / whole if whole else 0.0,
            bytes=total.bytes / len(runs),
            outputs=tuple(Output(dtype=dtype, dims=dims) for dtype, dims in total.last.outputs),
        )
        for (name, op), total in totals.items()
    ]


def op_totals(nodes: Iterable[Node]) -> list[Op]:
    """Returns the op types of nodes, the slowest first."""
    by_op: dict[str, list[Node]] = {}
    for node in nodes:
        by_op.setdefault(node.op, []).append(node)
    totals = [
        Op(
            op=op,
            nodes=len(group),
            calls=math.fsum(node.calls for node in group),
            ms=math.fsum(node.ms for node in group),
            share=math.fsum(node.share for node in group),
            bytes=math.fsum(node.bytes for node in group),
        )
        for op, group in by_op.items()
    ]
    return sorted(totals, key=lambda total: (-total.ms, total.op))


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="library_run", allow_abbrev=False)
    parser.add_argument("library", type=Path)
    parser.add_argument("model", type=Path)
    for option in ("--input", "--input-random", "--output"):
        parser.add_argument(option, action="append", default=[])
    for option in ("--threads", "--warmup", "--runs", "--seconds", "--traced-runs"):
        parser.add_argument(option, type=int)
    parser.add_argument("--json", type=Path, required=True)
    return parser


def _inputs(arguments: argparse.Namespace) -> dict[str, Array]:
    inputs = {}
    for text in arguments.input:
        name, _, path = text.partition("=")
        inputs[name] = arrays.parse_npy(files.read_bytes(Path(path)), path)
    for text in arguments.input_random:
        name, _, description = text.partition("=")
        inputs[name] = arrays.random_input(description)
    return inputs


def _measured_runs(
    bound: BoundSession, arguments: argparse.Namespace
) -> tuple[list[float], list[float]]:
    """Returns the wall time and the CPU time of each run, in milliseconds."""
    wall: list[float] = []
    cpu: list[float] = []
    begin = time.perf_counter()
    while (
        len(wall) < arguments.runs
        if arguments.seconds is None
        else time.perf_counter() - begin < arguments.seconds
    ):
        cpu_start, start = time.process_time_ns(), time.perf_counter_ns()
        bound.run().free()
        wall.append((time.perf_counter_ns() - start) / _NANOS_PER_MILLI)
        cpu.append((time.process_time_ns() - cpu_start) / _NANOS_PER_MILLI)
    return wall, cpu


def _traced_run(bound: BoundSession) -> list[NodeRun]:
    with bound.run_traced() as result:
        return result.trace()


def _benchmark(arguments: argparse.Namespace) -> Measurement:
    inputs = _inputs(arguments)
    anonymous_before, resident_before = status_bytes("RssAnon"), status_bytes("VmRSS")
    library = Library(arguments.library)
    start = time.perf_counter_ns()
    with library.session_from_file(arguments.model, arguments.threads) as session:
        loaded = time.perf_counter_ns()
        anonymous_loaded = _since("RssAnon", anonymous_before)
        bound = session.bind(inputs, arguments.output)
        first = time.perf_counter_ns()
        bound.run().free()
        first_ms = (time.perf_counter_ns() - first) / _NANOS_PER_MILLI
        for _ in range(arguments.warmup):
            bound.run().free()
        wall, cpu = _measured_runs(bound, arguments)
        peak, anonymous = _since("VmHWM", resident_before), _since("RssAnon", anonymous_before)
        nodes = node_totals([_traced_run(bound) for _ in range(arguments.traced_runs)])
    return Measurement(
        version=1,
        model=str(arguments.model),
        threads=arguments.threads,
        warmup=arguments.warmup,
        runs=len(wall),
        traced_runs=arguments.traced_runs,
        load_ms=(loaded - start) / _NANOS_PER_MILLI,
        first_ms=first_ms,
        wall_ms=statistics_of(wall),
        cpu_ms=statistics_of(cpu),
        peak_bytes=peak,
        anonymous_bytes_loaded=anonymous_loaded,
        anonymous_bytes=anonymous,
        nodes=tuple(nodes),
        ops=tuple(op_totals(nodes)),
    )


def main(argv: Sequence[str]) -> int:
    """Returns the exit status of benchmark_model: 0 done; 1 the library cannot run the model; 2 invalid input."""
    arguments = _parser().parse_args(argv)
    try:
        measurement = _benchmark(arguments)
    except (CallError, InvalidInput) as error:
        print(error, file=sys.stderr)
        return error.status if isinstance(error, CallError) else 2
    files.write_if_changed(arguments.json, json_codec.encode(measurement))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
