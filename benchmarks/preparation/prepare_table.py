"""The tables of benchmarks.preparation.prepare."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from benchmarks import measure
from benchmarks.measure import Usage

# The largest accepted difference of a prepared model's output.
TOLERANCE = 1e-5
# The memory limit of a pipeline, as a multiple of the file's size.
MEMORY = 4


@dataclass(frozen=True)
class Prepared:
    """A model after a tool.

    Attributes:
      model: its name.
      tool: "source" for the model itself.
      nodes: the number of nodes in the graph.
      bytes: the size of the file.
      norms: the number of batch normalizations in the graph.
      difference: the largest difference of an output from the source's; None if TensorFlow can't run the model.
    """

    model: str
    tool: str
    nodes: int
    bytes: int
    norms: int
    difference: float | None


@dataclass(frozen=True)
class Comparison:
    """The measurements of both tools on a model of `bytes` bytes; `made` has the sizes of their output files."""

    bytes: int
    tfcarve: Usage
    reference: Usage
    made: tuple[int, int]


def _difference(value: float | None) -> str:
    if value is None:
        return "can't run"
    return f"{value:.1e}" + ("" if value <= TOLERANCE else " (!)")


def _times(of: int, value: int) -> str:
    return f"{value / of:.1f}x the file"


def pipeline(measured: Comparison) -> str:
    """Returns the table of time and memory, as Markdown."""
    programs = ("`tfcarve transform`", "`transform_graph`")
    rows = [
        (
            program,
            measure.seconds(one.wall),
            measure.seconds(one.cpu),
            measure.size(one.peak),
            _times(measured.bytes, one.peak),
            f"{made:,}",
        )
        for program, one, made in zip(
            programs, (measured.tfcarve, measured.reference), measured.made, strict=True
        )
    ]
    head = ("Program", "Wall time", "CPU time", "Peak memory", "Memory", "Bytes written")
    return measure.markdown(head, rows)


def models(rows: Sequence[Prepared]) -> str:
    """Returns the table of models, as Markdown."""
    lines = [
        (r.model, r.tool, f"{r.nodes:,}", f"{r.bytes:,}", str(r.norms), _difference(r.difference))
        for r in rows
    ]
    head = ("Model", "Made by", "Nodes", "Bytes", "Batch norms", "Largest difference")
    return measure.markdown(head, lines)


def missed(measured: Comparison, rows: Sequence[Prepared], tool: str) -> list[str]:
    """Returns a line for each goal that the tool `tool` misses.

    The goals: the pipeline is not slower than the other program and needs at most MEMORY times the file's size; a model
    has no more nodes and bytes than after the best other tool, no batch normalizations, and outputs within TOLERANCE.
    """
    found = []
    if measured.tfcarve.wall > measured.reference.wall:
        least = measure.seconds(measured.reference.wall)
        found.append(
            f"the pipeline: {measure.seconds(measured.tfcarve.wall)}, the other takes {least}"
        )
    if measured.tfcarve.peak > MEMORY * measured.bytes:
        found.append(f"the pipeline: memory of {_times(measured.bytes, measured.tfcarve.peak)}")
    for own in (row for row in rows if row.tool == tool):
        # Graphs that can't run, or have other outputs, are not compared.
        right = [
            r
            for r in rows
            if r.model == own.model and r.tool != tool and r.difference is not None
            if r.difference <= TOLERANCE
        ]
        nodes, size = min(r.nodes for r in right), min(r.bytes for r in right)
        if own.nodes > nodes:
            found.append(f"{own.model}: {own.nodes:,} nodes, the best of the others has {nodes:,}")
        if own.bytes > size:
            found.append(f"{own.model}: {own.bytes:,} bytes, the best of the others has {size:,}")
        if own.norms:
            found.append(f"{own.model}: {own.norms} batch normalizations are left")
        if own.difference is None or own.difference > TOLERANCE:
            found.append(f"{own.model}: the difference is {_difference(own.difference)}")
    return found
