"""What benchmark_model does, for a shared library: a process of its own, for the library stays in it.

`python -m tfcarve.benchmark.library_run LIBRARY` takes the options of benchmark_model that task.arguments
gives, and writes the same JSON. Memory is what came on top of Python's own.
"""

import argparse
import json
import math
import os
import statistics
import sys
import time
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from tfcarve import files
from tfcarve.benchmark import arrays
from tfcarve.benchmark.arrays import Array
from tfcarve.benchmark.c_api import Bound, Library, NodeRun, Refused
from tfcarve.errors import InvalidInput

_NANOS_PER_MILLI = 1e6
_STATUS = Path("/proc/self/status")


def _status_bytes(field: str) -> int | None:
    """Returns a field of Linux's /proc/self/status in bytes, None where there is none."""
    try:
        lines = _STATUS.read_text(encoding="utf-8").splitlines()
    except OSError:
        return None
    found = [line.split()[1] for line in lines if line.startswith(f"{field}:")]
    return int(found[0]) * 1024 if found else None


def _since(field: str, before: int | None) -> int | None:
    now = _status_bytes(field)
    return None if now is None or before is None else max(now - before, 0)


def statistics_of(samples: Sequence[float]) -> dict[str, float]:
    """Returns what tools/runtime/statistics.cc does; all 0 where there are no samples."""
    if not samples:
        return dict.fromkeys(("min", "median", "p95", "mean", "stddev"), 0.0)
    ordered = sorted(samples)
    return {
        "min": ordered[0],
        "median": statistics.median(ordered),
        "p95": ordered[math.ceil(len(ordered) * 0.95) - 1],
        "mean": statistics.fmean(ordered),
        "stddev": statistics.stdev(ordered) if len(ordered) > 1 else 0.0,
    }


def node_totals(runs: Sequence[Sequence[NodeRun]]) -> list[dict[str, Any]]:
    """Returns the nodes of traced runs, as tools/runtime/benchmark_report.cc writes them."""
    totals: dict[tuple[str, str], dict[str, Any]] = {}
    for one in (one for run in runs for one in run):
        row = totals.setdefault(
            (one.node, one.op), {"name": one.node, "op": one.op, "calls": 0, "ms": 0, "bytes": 0}
        )
        row["inputs"] = one.inputs.split(", ") if one.inputs else []
        row["calls"] += 1 / len(runs)
        row["ms"] += one.duration_ns / _NANOS_PER_MILLI / len(runs)
        row["bytes"] += one.allocated_bytes / len(runs)
        row["outputs"] = [{"dtype": dtype, "dims": list(dims)} for dtype, dims in one.outputs]
    whole = math.fsum(row["ms"] for row in totals.values())
    return [{**row, "share": row["ms"] / whole if whole else 0} for row in totals.values()]


def op_totals(nodes: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    """Returns the op types of nodes, the slowest first."""
    totals: dict[str, dict[str, Any]] = {}
    for node in nodes:
        row = totals.setdefault(
            node["op"], {"op": node["op"], "nodes": 0, "calls": 0, "ms": 0, "share": 0, "bytes": 0}
        )
        row["nodes"] += 1
        for key in ("calls", "ms", "share", "bytes"):
            row[key] += node[key]
    return sorted(totals.values(), key=lambda row: (-row["ms"], row["op"]))


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


def _inputs(asked: argparse.Namespace) -> dict[str, Array]:
    made = {}
    for text in asked.input:
        name, _, path = text.partition("=")
        made[name] = arrays.parse_npy(files.read_bytes(Path(path)), path)
    for text in asked.input_random:
        name, _, description = text.partition("=")
        made[name] = arrays.random_input(description)
    return made


def _timed(bound: Bound, asked: argparse.Namespace) -> tuple[list[float], list[float]]:
    wall: list[float] = []
    cpu: list[float] = []
    begin = time.perf_counter()
    while (
        len(wall) < asked.runs
        if asked.seconds is None
        else time.perf_counter() - begin < asked.seconds
    ):
        cpu_start, start = time.process_time_ns(), time.perf_counter_ns()
        bound.run()
        wall.append((time.perf_counter_ns() - start) / _NANOS_PER_MILLI)
        cpu.append((time.process_time_ns() - cpu_start) / _NANOS_PER_MILLI)
    return wall, cpu


def _benchmark(asked: argparse.Namespace) -> dict[str, Any]:
    inputs = _inputs(asked)
    anonymous_before, resident_before = _status_bytes("RssAnon"), _status_bytes("VmRSS")
    library = Library(str(asked.library))
    start = time.perf_counter_ns()
    session = library.session(str(asked.model), asked.threads)
    loaded = time.perf_counter_ns()
    anonymous_loaded = _since("RssAnon", anonymous_before)
    bound = session.bind(inputs, asked.output)
    first = time.perf_counter_ns()
    bound.run()
    first_ms = (time.perf_counter_ns() - first) / _NANOS_PER_MILLI
    for _ in range(asked.warmup):
        bound.run()
    wall, cpu = _timed(bound, asked)
    peak, anonymous = _since("VmHWM", resident_before), _since("RssAnon", anonymous_before)
    nodes = node_totals([bound.run_traced() for _ in range(asked.traced_runs)])
    return {
        "version": 1,
        "model": str(asked.model),
        "threads": asked.threads,
        "warmup": asked.warmup,
        "runs": len(wall),
        "traced_runs": asked.traced_runs,
        "load_ms": (loaded - start) / _NANOS_PER_MILLI,
        "first_ms": first_ms,
        "wall_ms": statistics_of(wall),
        "cpu_ms": statistics_of(cpu),
        "peak_bytes": peak,
        "anonymous_bytes_loaded": anonymous_loaded,
        "anonymous_bytes": anonymous,
        "nodes": nodes,
        "ops": op_totals(nodes),
    }


def main(argv: Sequence[str]) -> int:
    """Exit status as benchmark_model's: 0; 1 the library can't run the model; 2 bad use or a bad file."""
    asked = _parser().parse_args(argv)
    # TensorFlow's remarks on the CPU are not wanted here; its warnings are.
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "1")
    try:
        document = _benchmark(asked)
    except (Refused, InvalidInput) as error:
        print(error, file=sys.stderr)
        return error.status if isinstance(error, Refused) else 2
    files.write_if_changed(asked.json, json.dumps(document).encode())
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
