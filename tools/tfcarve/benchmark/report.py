"""A benchmark: measured times or counted instructions, with the multiply-adds of the nodes. Pure."""

from collections.abc import Iterable
from dataclasses import dataclass

from tfcarve.benchmark.emulated import Instructions
from tfcarve.benchmark.measurement import Measurement, Node, Op
from tfcarve.benchmark.shapes import node_multiply_adds
from tfcarve.models.node_use import NodeUse

_OPERATIONS = 2  # of a multiply-add
_NANOS_PER_MILLI = 1e6


@dataclass(frozen=True, slots=True)
class Benchmark:
    """One model in one program or library.

    Attributes:
      program: the file of the program or library, or the file of the figures.
      cpu: the CPU that the program was built for; "" for figures, which do not state it.
      measurement: times, memory and nodes. If there are `instructions`, only the nodes' outputs are meaningful.
      multiply_adds: of one execution of each node; None if unknown.
      instructions: counted under qemu; None if the program ran natively.
    """

    program: str
    cpu: str
    measurement: Measurement
    multiply_adds: tuple[int | None, ...]
    instructions: Instructions | None

    def nodes(self) -> list[tuple[Node, float | None]]:
        """Returns the nodes with their multiply-adds in one run."""
        return [
            (node, None if count is None else count * node.calls)
            for node, count in zip(self.measurement.nodes, self.multiply_adds, strict=True)
        ]

    def ops(self) -> list[tuple[Op, float | None]]:
        """Returns the op types with their multiply-adds in one run: by time, under qemu by multiply-adds."""
        sums: dict[str, float | None] = {}
        for node, count in self.nodes():
            before = sums.get(node.op, 0.0)
            sums[node.op] = None if before is None or count is None else before + count
        found = [(op, sums.get(op.op, 0.0)) for op in self.measurement.ops]
        if self.instructions is None:
            return found
        return sorted(found, key=lambda item: (-(item[1] or 0), item[0].op))

    def total_multiply_adds(self) -> float:
        """Returns the known multiply-adds of one run."""
        return sum(count or 0 for _, count in self.nodes())


def gflops(multiply_adds: float | None, ms: float) -> float | None:
    """Returns billions of floating-point operations per second; None if there are no operations or the time is unknown."""
    if not multiply_adds or ms <= 0:
        return None
    return multiply_adds * _OPERATIONS / (ms * _NANOS_PER_MILLI)


def benchmark(
    program: str,
    cpu: str,
    measurement: Measurement,
    uses: Iterable[NodeUse],
    instructions: Instructions | None,
) -> Benchmark:
    """Returns the benchmark for a measurement.

    Args:
      program: the file of the program or library, or the file of the figures.
      cpu: the CPU that the program was built for; "" if it is unknown.
      measurement: times, memory and nodes.
      uses: the model's nodes.
      instructions: the instructions that were counted under qemu; None if the program ran natively.
    """
    counts = node_multiply_adds(measurement.nodes, uses)
    return Benchmark(program, cpu, measurement, tuple(counts), instructions)
