"""The text of the benchmark of speed."""

from __future__ import annotations

import datetime
from collections.abc import Sequence

from benchmarks import measure, speed_table
from benchmarks.speed_table import Instructions, Speed


def _times(speeds: Sequence[Speed]) -> Sequence[str]:
    return (
        "## x86-64",
        "One inference of one example, in floats. All libraries run in turns; the least of the rounds. Compare the "
        "ratios, not the milliseconds. TensorFlow and TensorFlow Lite, with XNNPACK, are those of tensorflow-cpu 2.14.1. "
        "tfcarve loads what `tfcarve memmap` wrote: the frozen graph that TensorFlow runs too, or what `tfcarve "
        "transform --preset mobile --fuse` made of it; TensorFlow and TensorFlow Lite's converter do the like by "
        "themselves. The ratio is that of the prepared graph.",
        "### CPU time, one thread",
        "Milliseconds; in brackets the median of the rounds.",
        speed_table.cpu(speeds, 1),
        "### CPU time of both threads, two threads",
        speed_table.cpu(speeds, 2),
        "### Time on the wall, two threads",
        "Milliseconds; in brackets how many times faster that is than one thread.",
        speed_table.wall(speeds),
        "### From loading to the first result, one thread",
        "Milliseconds; the start of the process and of Python do not count.",
        speed_table.first_results(speeds),
        "### Anonymous memory, one thread",
        "After the runs, in brackets after loading. tfcarve's is all that the process has, the others' what it has "
        "more than before it loaded the model.",
        speed_table.memory(speeds),
        "### Largest difference of an output from full TensorFlow's",
        speed_table.differences(speeds),
    )


def _counts(rows: Sequence[Instructions]) -> Sequence[str]:
    return (
        "## ARM",
        "Millions of instructions of one inference on one thread, counted under qemu; in brackets how many times "
        "those that the multiply-adds alone take, four to an instruction. TensorFlow Lite is tflite-runtime 2.14.0, "
        "which has no XNNPACK for armv7.",
        speed_table.instructions(rows),
    )


def text(speeds: Sequence[Speed], rows: Sequence[Instructions]) -> str:
    """Returns what was measured as Markdown; a part that was not measured is left out."""
    parts = [
        "# How fast carved libraries run",
        f"Measured on {datetime.date.today().isoformat()}: {measure.machine()}.",
        "    PYTHONPATH=tools:tests:. python -m benchmarks.speed -o benchmarks/SPEED.md",
        *(_times(speeds) if speeds else ()),
        *(_counts(rows) if rows else ()),
    ]
    return "\n\n".join(parts) + "\n"
