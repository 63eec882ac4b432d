"""The page of the speed benchmark."""

from __future__ import annotations

from collections.abc import Sequence

from benchmarks import measure, page
from benchmarks.inference import speed_table
from benchmarks.inference.speed_table import Instructions, Speed
from tfcarve.releases import known


def _times(speeds: Sequence[Speed]) -> Sequence[str]:
    return (
        "## x86-64",
        "One inference of one example, in float32. The libraries run in turns; the tables show the minimum of the rounds. "
        "Compare the ratios, not the milliseconds. TensorFlow and TensorFlow Lite, with XNNPACK, are those of "
        f"tensorflow-cpu {known.release().version}. tfcarve maps a file that `tfcarve memmap` wrote: the frozen graph that TensorFlow also "
        "runs, or that graph prepared by `tfcarve transform --preset mobile --fuse`. TensorFlow and TensorFlow Lite's "
        "converter optimize the graph themselves. The ratio is that of the prepared graph.",
        "### CPU time, one thread",
        "Milliseconds; in brackets the median of the rounds.",
        speed_table.cpu(speeds, 1),
        "### CPU time of both threads, two threads",
        speed_table.cpu(speeds, 2),
        "### Wall time, two threads",
        "Milliseconds; in brackets the speedup over one thread.",
        speed_table.wall(speeds),
        "### From loading to the first result, one thread",
        "Milliseconds, without the start of the process and of Python.",
        speed_table.first_results(speeds),
        "### Anonymous memory, one thread",
        "After the runs, in brackets after loading. tfcarve: all memory of the process; references: the increase since "
        "before loading.",
        speed_table.memory(speeds),
        "### Largest difference of an output from full TensorFlow's",
        speed_table.differences(speeds),
    )


def _counts(rows: Sequence[Instructions]) -> Sequence[str]:
    return (
        "## ARM",
        "Millions of instructions of one inference on one thread, counted under qemu; in brackets the ratio to the "
        "multiply-adds alone, four per instruction. TensorFlow Lite is tflite-runtime, which does not have "
        "XNNPACK for armv7.",
        speed_table.instructions(rows),
    )


def text(speeds: Sequence[Speed], rows: Sequence[Instructions]) -> str:
    """Returns the page as Markdown; omits a part that was not measured."""
    command = "PYTHONPATH=tools:tests:. python -m benchmarks.inference.speed -o benchmarks/results/SPEED.md"
    parts = [
        page.head("Speed of carved libraries", command, measure.machine()).rstrip(),
        *(_times(speeds) if speeds else ()),
        *(_counts(rows) if rows else ()),
    ]
    return "\n\n".join(parts) + "\n"
