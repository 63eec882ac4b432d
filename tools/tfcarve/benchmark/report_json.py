"""The JSON document that `tfcarve benchmark --json` prints. Pure."""

from typing import Literal

from tfcarve import dtypes, json_codec
from tfcarve.benchmark import measurement
from tfcarve.benchmark.emulated import Instructions
from tfcarve.benchmark.measurement import Amount, Count, Statistics
from tfcarve.benchmark.report import Benchmark, gflops
from tfcarve.client.arrays import Shape
from tfcarve.errors import InvalidInput
from tfcarve.json_codec import JsonDocument


class Output(JsonDocument, frozen=True):
    """An output of a node: the name of its data type, "" if it was not computed, and its shape."""

    dtype: str
    dims: Shape


class Node(JsonDocument, frozen=True):
    """A node: the fields of measurement.Node, its multiply-adds and their rate. Times are None under qemu."""

    name: str
    op: str
    inputs: tuple[str, ...]
    calls: Amount
    ms: Amount | None
    share: Amount | None
    bytes: Amount
    outputs: tuple[Output, ...]
    multiply_adds: Amount | None
    gflops: Amount | None


class Op(JsonDocument, frozen=True):
    """An op type: the fields of measurement.Op, its multiply-adds and their rate. Times are None under qemu."""

    op: str
    nodes: Count
    calls: Amount
    ms: Amount | None
    share: Amount | None
    bytes: Amount
    multiply_adds: Amount | None
    gflops: Amount | None


class Document(JsonDocument, frozen=True):
    """The document: the fields of Measurement and of Benchmark.

    Under qemu times and memory are None: times and memory of an emulator say nothing about the program.
    """

    version: Literal[1]
    program: str
    cpu: str
    instructions: Instructions | None
    multiply_adds: Amount
    model: str
    threads: Count
    warmup: Count
    runs: Count
    traced_runs: Count
    load_ms: Amount | None
    first_ms: Amount | None
    wall_ms: Statistics | None
    cpu_ms: Statistics | None
    peak_bytes: Count | None
    anonymous_bytes_loaded: Count | None
    anonymous_bytes: Count | None
    nodes: tuple[Node, ...]
    ops: tuple[Op, ...]


def report_json(benchmark: Benchmark) -> bytes:
    """Returns the document for a benchmark."""
    found = benchmark.measurement
    native = benchmark.instructions is None
    return json_codec.encode(
        Document(
            version=1,
            program=benchmark.program,
            cpu=benchmark.cpu,
            instructions=benchmark.instructions,
            multiply_adds=benchmark.total_multiply_adds(),
            model=found.model,
            threads=found.threads,
            warmup=found.warmup,
            runs=found.runs,
            traced_runs=found.traced_runs,
            load_ms=found.load_ms if native else None,
            first_ms=found.first_ms if native else None,
            wall_ms=found.wall_ms if native else None,
            cpu_ms=found.cpu_ms if native else None,
            peak_bytes=found.peak_bytes if native else None,
            anonymous_bytes_loaded=found.anonymous_bytes_loaded if native else None,
            anonymous_bytes=found.anonymous_bytes if native else None,
            nodes=tuple(_node(node, count, native) for node, count in benchmark.nodes()),
            ops=tuple(_op(op, count, native) for op, count in benchmark.ops()),
        )
    )


def _output(output: measurement.Output) -> Output:
    name = dtypes.from_number(output.dtype) or f"DataType({output.dtype})"
    return Output(dtype=name if output.dtype else "", dims=output.dims)


def _node(node: measurement.Node, multiply_adds: float | None, native: bool) -> Node:
    return Node(
        name=node.name,
        op=node.op,
        inputs=node.inputs,
        calls=node.calls,
        ms=node.ms if native else None,
        share=node.share if native else None,
        bytes=node.bytes,
        outputs=tuple(map(_output, node.outputs)),
        multiply_adds=multiply_adds,
        gflops=gflops(multiply_adds, node.ms) if native else None,
    )


def _op(op: measurement.Op, multiply_adds: float | None, native: bool) -> Op:
    return Op(
        op=op.op,
        nodes=op.nodes,
        calls=op.calls,
        ms=op.ms if native else None,
        share=op.share if native else None,
        bytes=op.bytes,
        multiply_adds=multiply_adds,
        gflops=gflops(multiply_adds, op.ms) if native else None,
    )


def parse(data: bytes, where: str) -> Document:
    """Reads the document.

    Args:
      data: the file's content.
      where: its name, for messages.

    Raises:
      InvalidInput: it is malformed, or is another document.
    """
    try:
        return json_codec.decode(data, Document, where)
    except InvalidInput as error:
        raise InvalidInput(
            f"{error}: expected a benchmark, which `tfcarve benchmark --json` prints"
        ) from None
