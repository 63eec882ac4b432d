"""What benchmark_model measured, as a frozen value with one JSON form (tools/runtime/benchmark_report.cc)."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from tfcarve import dtypes, json_form
from tfcarve.errors import InvalidInput

VERSION = 1

Shape = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Statistics:
    """Of the runs that count, in milliseconds."""

    min: float
    median: float
    p95: float
    mean: float
    stddev: float


@dataclass(frozen=True, slots=True)
class Output:
    """An output of a node: its data type, "" where it was not computed, and its shape."""

    dtype: str
    dims: Shape


@dataclass(frozen=True, slots=True)
class Node:
    """A node in one run, the average of the traced runs.

    Attributes:
      name: the node's.
      op: its type.
      inputs: as in its NodeDef.
      calls: how often it was executed.
      ms: the time of its kernel, in milliseconds.
      share: of all nodes' time, from 0 to 1.
      bytes: what its kernel allocated.
      outputs: of its last execution.
    """

    name: str
    op: str
    inputs: tuple[str, ...]
    calls: float
    ms: float
    share: float
    bytes: float
    outputs: tuple[Output, ...]


@dataclass(frozen=True, slots=True)
class Op:
    """All nodes of an op type in one run; `nodes` is how many there are, the rest as in Node."""

    op: str
    nodes: int
    calls: float
    ms: float
    share: float
    bytes: float


@dataclass(frozen=True, slots=True)
class Measured:
    """A benchmark of one model by one program.

    Attributes:
      model: the model's file.
      threads: to compute with; 0: one a core.
      warmup: runs after the first one that do not count.
      runs: runs that count.
      traced_runs: further runs in which each node was timed.
      load_ms: from the file to a session.
      first_ms: the first run.
      wall_ms, cpu_ms: of the runs that count; CPU time is that of all threads.
      peak_bytes: the most that was resident, until the end of the runs; None where the system does not say.
      anonymous_bytes_loaded, anonymous_bytes: what was resident of no file, with the session and after the runs.
      nodes: by their start.
      ops: the slowest first.
    """

    model: str
    threads: int
    warmup: int
    runs: int
    traced_runs: int
    load_ms: float
    first_ms: float
    wall_ms: Statistics
    cpu_ms: Statistics
    peak_bytes: int | None
    anonymous_bytes_loaded: int | None
    anonymous_bytes: int | None
    nodes: tuple[Node, ...]
    ops: tuple[Op, ...]


_FORM: Mapping[str, Any] = {
    "version": int,
    "model": str,
    "threads": int,
    "warmup": int,
    "runs": int,
    "traced_runs": int,
    "load_ms": None,
    "first_ms": None,
    "wall_ms": {},
    "cpu_ms": {},
    "peak_bytes": None,
    "anonymous_bytes_loaded": None,
    "anonymous_bytes": None,
    "nodes": [
        {
            "name": str,
            "op": str,
            "inputs": [str],
            "calls": None,
            "ms": None,
            "share": None,
            "bytes": None,
            "outputs": [{"dtype": int, "dims": [int]}],
        }
    ],
    "ops": [
        {"op": str, "nodes": int, "calls": None, "ms": None, "share": None, "bytes": None},
    ],
}
_STATISTICS = {"min": None, "median": None, "p95": None, "mean": None, "stddev": None}
_OUTPUT = {"dtype": int, "dims": [int]}


def parse(data: bytes, where: str) -> Measured:
    """Reads the JSON that benchmark_model writes; raises InvalidInput where it is none, or of another version.

    Args:
      data: the file's content.
      where: its name, for messages.
    """
    try:
        document = json_form.loads(data)
        if not isinstance(document, dict) or document.get("version") != VERSION:
            raise ValueError(f"no figures of benchmark_model's version {VERSION}")
        json_form.check(document, _FORM, "document")
        _exactly(document, _FORM, "document")
        return _measured(document)
    except (ValueError, RecursionError) as error:
        raise InvalidInput(f"{where}: {error}") from None


def _exactly(row: Mapping[str, Any], form: Mapping[str, Any], what: str) -> None:
    if row.keys() != form.keys():
        wrong = min(row.keys() ^ form.keys())
        raise ValueError(f"{what}: key {wrong!r} is {'unknown' if wrong in row else 'missing'}")


def _number(row: Mapping[str, Any], key: str) -> float:
    value = row[key]
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        raise ValueError(f"{key}: a number was expected, not {value!r:.40}")
    if value < 0:
        raise ValueError(f"{key}: is negative: {value}")
    return float(value)


def _bytes(row: Mapping[str, Any], key: str) -> int | None:
    return None if row[key] is None else int(_number(row, key))


def _statistics(row: Mapping[str, Any], key: str) -> Statistics:
    of = row[key]
    _exactly(of, _STATISTICS, key)
    return Statistics(*(_number(of, name) for name in _STATISTICS))


def _output(row: Mapping[str, Any]) -> Output:
    _exactly(row, _OUTPUT, "outputs")
    if any(dim < 0 for dim in row["dims"]):
        raise ValueError(f"outputs: a negative dimension: {row['dims']}")
    name = dtypes.from_number(row["dtype"]) or f"DataType({row['dtype']})"
    return Output(name if row["dtype"] else "", tuple(row["dims"]))


def _node(row: Mapping[str, Any]) -> Node:
    _exactly(row, _FORM["nodes"][0], "nodes")
    return Node(
        name=row["name"],
        op=row["op"],
        inputs=tuple(row["inputs"]),
        calls=_number(row, "calls"),
        ms=_number(row, "ms"),
        share=_number(row, "share"),
        bytes=_number(row, "bytes"),
        outputs=tuple(map(_output, row["outputs"])),
    )


def _op(row: Mapping[str, Any]) -> Op:
    _exactly(row, _FORM["ops"][0], "ops")
    return Op(
        op=row["op"],
        nodes=row["nodes"],
        calls=_number(row, "calls"),
        ms=_number(row, "ms"),
        share=_number(row, "share"),
        bytes=_number(row, "bytes"),
    )


def _measured(document: Mapping[str, Any]) -> Measured:
    for key in ("threads", "warmup", "runs", "traced_runs"):
        _number(document, key)
    return Measured(
        model=document["model"],
        threads=document["threads"],
        warmup=document["warmup"],
        runs=document["runs"],
        traced_runs=document["traced_runs"],
        load_ms=_number(document, "load_ms"),
        first_ms=_number(document, "first_ms"),
        wall_ms=_statistics(document, "wall_ms"),
        cpu_ms=_statistics(document, "cpu_ms"),
        peak_bytes=_bytes(document, "peak_bytes"),
        anonymous_bytes_loaded=_bytes(document, "anonymous_bytes_loaded"),
        anonymous_bytes=_bytes(document, "anonymous_bytes"),
        nodes=tuple(map(_node, document["nodes"])),
        ops=tuple(map(_op, document["ops"])),
    )
