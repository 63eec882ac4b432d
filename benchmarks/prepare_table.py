"""The tables of benchmarks.prepare."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from benchmarks import measure
from benchmarks.measure import Usage

# What a prepared model may differ by.
TOLERANCE = 1e-5
# How many times a file's bytes a pipeline may take.
MEMORY = 4


@dataclass(frozen=True)
class Prepared:
    """A model as a tool leaves it.

    Attributes:
      model: its name.
      tool: "source" for the model itself.
      nodes: in the graph.
      bytes: of the file.
      norms: batch normalizations in the graph.
      difference: the largest of an output from the source's; None where TensorFlow can't run it.
    """

    model: str
    tool: str
    nodes: int
    bytes: int
    norms: int
    difference: float | None


@dataclass(frozen=True)
class Taken:
    """A pipeline on a model of `bytes` bytes, by both tools; `made` are the sizes of their files."""

    bytes: int
    ours: Usage
    theirs: Usage
    made: tuple[int, int]


def _difference(value: float | None) -> str:
    if value is None:
        return "can't run"
    return f"{value:.1e}" + ("" if value <= TOLERANCE else " (!)")


def _times(of: int, value: int) -> str:
    return f"{value / of:.1f}x the file"


def pipeline(taken: Taken) -> str:
    """Returns the table of what a pipeline takes, as Markdown."""
    programs = ("`tfcarve transform`", "`transform_graph`")
    rows = [
        (
            program,
            measure.seconds(one.wall),
            measure.seconds(one.cpu),
            measure.size(one.peak),
            _times(taken.bytes, one.peak),
            f"{made:,}",
        )
        for program, one, made in zip(programs, (taken.ours, taken.theirs), taken.made, strict=True)
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


def missed(taken: Taken, rows: Sequence[Prepared], ours: str) -> list[str]:
    """Returns a line for each goal that the tool `ours` misses.

    The goals: the pipeline takes no longer than the other program does and MEMORY times the file; not more nodes and
    bytes than the best of the others, no batch normalization left, outputs within TOLERANCE.
    """
    found = []
    if taken.ours.wall > taken.theirs.wall:
        least = measure.seconds(taken.theirs.wall)
        found.append(f"the pipeline: {measure.seconds(taken.ours.wall)}, the other takes {least}")
    if taken.ours.peak > MEMORY * taken.bytes:
        found.append(f"the pipeline: memory of {_times(taken.bytes, taken.ours.peak)}")
    for own in (row for row in rows if row.tool == ours):
        # A graph that can't run, or gives something else, is no measure.
        right = [
            r
            for r in rows
            if r.model == own.model and r.tool != ours and r.difference is not None
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
