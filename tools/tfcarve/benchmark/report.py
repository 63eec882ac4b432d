"""A benchmark: what was measured or counted, with the multiply-adds of its nodes. Pure."""

import json
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from typing import Any

from tfcarve.benchmark.emulated import Instructions
from tfcarve.benchmark.measured import Measured, Node, Op
from tfcarve.benchmark.shapes import counted
from tfcarve.models.node_use import NodeUse

VERSION = 1
_OPERATIONS = 2  # of a multiply-add
_NANOS_PER_MILLI = 1e6


@dataclass(frozen=True, slots=True)
class Benchmark:
    """One model in one program or library.

    Attributes:
      program: its file.
      cpu: what it is for.
      measured: times, memory, nodes; without meaning but for the nodes' outputs where `instructions` is there.
      multiply_adds: of one execution of each of the nodes; None where unknown.
      instructions: counted under qemu; None where it ran on this machine.
    """

    program: str
    cpu: str
    measured: Measured
    multiply_adds: tuple[int | None, ...]
    instructions: Instructions | None

    def nodes(self) -> list[tuple[Node, float | None]]:
        """Returns the nodes with their multiply-adds in one run."""
        return [
            (node, None if count is None else count * node.calls)
            for node, count in zip(self.measured.nodes, self.multiply_adds, strict=True)
        ]

    def ops(self) -> list[tuple[Op, float | None]]:
        """Returns the op types with their multiply-adds in one run: the slowest first, under qemu those with most."""
        sums: dict[str, float | None] = {}
        for node, count in self.nodes():
            before = sums.get(node.op, 0.0)
            sums[node.op] = None if before is None or count is None else before + count
        found = [(op, sums.get(op.op, 0.0)) for op in self.measured.ops]
        if self.instructions is None:
            return found
        return sorted(found, key=lambda item: (-(item[1] or 0), item[0].op))

    def whole(self) -> float:
        """Returns the multiply-adds of one run, as far as they are known."""
        return sum(count or 0 for _, count in self.nodes())

    def to_json(self) -> bytes:
        """Returns the JSON form."""
        emulated = self.instructions is not None
        document: dict[str, Any] = {
            "version": VERSION,
            "program": self.program,
            "cpu": self.cpu,
            "instructions": asdict(self.instructions) if self.instructions else None,
            "multiply_adds": self.whole(),
            **asdict(self.measured),
        }
        for key, rows in (("nodes", self.nodes()), ("ops", self.ops())):
            document[key] = [
                {**asdict(row), "multiply_adds": count, "gflops": gflops(count, row.ms)}
                for row, count in rows
            ]
        if emulated:
            _forget_times(document)
        return (json.dumps(document, indent=1) + "\n").encode()


def _forget_times(document: dict[str, Any]) -> None:
    """What an emulator's process takes says nothing of the program."""
    for key in ("load_ms", "first_ms", "wall_ms", "cpu_ms"):
        document[key] = None
    for key in ("peak_bytes", "anonymous_bytes_loaded", "anonymous_bytes"):
        document[key] = None
    for row in (*document["nodes"], *document["ops"]):
        row["ms"] = row["share"] = row["gflops"] = None


def gflops(multiply_adds: float | None, ms: float) -> float | None:
    """Returns billions of floating-point operations a second; None where they or the time are unknown, or there are none."""
    if not multiply_adds or ms <= 0:
        return None
    return multiply_adds * _OPERATIONS / (ms * _NANOS_PER_MILLI)


def benchmark(
    program: str,
    cpu: str,
    measured: Measured,
    uses: Iterable[NodeUse],
    instructions: Instructions | None,
) -> Benchmark:
    """Returns the benchmark of what was measured; the arguments are as in Benchmark, `uses` the model's nodes."""
    counts = counted(measured.nodes, uses)
    return Benchmark(program, cpu, measured, tuple(counts), instructions)
