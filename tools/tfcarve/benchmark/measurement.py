"""The JSON report of benchmark_model (tools/runtime/programs/benchmark_report.cc)."""

from typing import Annotated, Literal

from msgspec import Meta

from tfcarve.json_codec import JsonDocument, decode

Count = Annotated[int, Meta(ge=0, le=2**63 - 1)]
Amount = Annotated[float, Meta(ge=0)]
# TensorShape::MaxDimensions in tensorflow/core/framework/tensor_shape.h.
_MAX_RANK = 254


class Statistics(JsonDocument, frozen=True):
    """Statistics of the measured runs, in milliseconds."""

    min: Amount
    median: Amount
    p95: Amount
    mean: Amount
    stddev: Amount


class Output(JsonDocument, frozen=True):
    """An output of a node: the number of its data type, 0 if it was not computed, and its shape."""

    dtype: int
    dims: Annotated[tuple[Count, ...], Meta(max_length=_MAX_RANK)]


class Node(JsonDocument, frozen=True):
    """A node in one run: the average of the traced runs.

    Attributes:
      name: the node's name.
      op: its op type.
      inputs: the inputs in its NodeDef, separated by commas.
      calls: number of executions.
      ms: time of its kernel, in milliseconds.
      share: of the time of all nodes, from 0 to 1.
      bytes: allocated by its kernel.
      outputs: of its last execution.
    """

    name: str
    op: str
    inputs: tuple[str, ...]
    calls: Amount
    ms: Amount
    share: Amount
    bytes: Amount
    outputs: tuple[Output, ...]


class Op(JsonDocument, frozen=True):
    """All nodes of an op type in one run: `nodes` is their number, the other fields are sums over them."""

    op: str
    nodes: Count
    calls: Amount
    ms: Amount
    share: Amount
    bytes: Amount


class Measurement(JsonDocument, frozen=True):
    """A benchmark of one model in one program.

    Attributes:
      version: of the form.
      model: the model's file.
      threads: number of compute threads; 0: one per core.
      warmup: number of runs between the first run and the measured ones.
      runs: number of measured runs.
      traced_runs: number of runs, after the measured ones, in which each node was timed.
      load_ms: from opening the file to a session that is ready.
      first_ms: the first run.
      wall_ms, cpu_ms: the measured runs; CPU time is the sum over all threads.
      peak_bytes: peak resident memory until the end of the measured runs; None if the system does not report it.
      anonymous_bytes_loaded, anonymous_bytes: anonymous resident memory after loading and after the measured runs.
      nodes: in the order of their first execution.
      ops: the slowest first.
    """

    version: Literal[1]
    model: str
    threads: Count
    warmup: Count
    runs: Count
    traced_runs: Count
    load_ms: Amount
    first_ms: Amount
    wall_ms: Statistics
    cpu_ms: Statistics
    peak_bytes: Count | None
    anonymous_bytes_loaded: Count | None
    anonymous_bytes: Count | None
    nodes: tuple[Node, ...]
    ops: tuple[Op, ...]


def parse(data: bytes, where: str) -> Measurement:
    """Reads the report; raises InvalidInput if it is malformed or of another version.

    Args:
      data: the file's content.
      where: its name, for messages.
    """
    return decode(data, Measurement, where)
