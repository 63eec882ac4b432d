"""Time, memory and instructions of one inference: values and tables."""

from __future__ import annotations

import statistics
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum

from benchmarks.measure import markdown
from tfcarve.benchmark.measurement import Measurement


class Library(Enum):
    """What runs a model; the value is the name in the tables."""

    PREPARED = "tfcarve, prepared"
    FROZEN = "tfcarve"
    ONEDNN = "TensorFlow, oneDNN"
    TENSORFLOW = "TensorFlow"
    LITE = "TensorFlow Lite"


REFERENCES = (Library.ONEDNN, Library.TENSORFLOW, Library.LITE)


@dataclass(frozen=True)
class Memory:
    """Bytes of anonymous memory: after loading, and after the runs."""

    loaded: int
    used: int


@dataclass(frozen=True)
class Speed:
    """A model in a library, on a number of threads.

    Attributes:
      model: the model's name.
      library: what runs it.
      threads: number of compute threads.
      rounds: in turns with those of the other libraries.
      starts: one for each process that loaded the model: the rounds, if each had its own process.
      memory: minimum over the starts.
      difference: largest difference of an output from full TensorFlow's.
    """

    model: str
    library: Library
    threads: int
    rounds: Sequence[Measurement]
    starts: Sequence[Measurement]
    memory: Memory
    difference: float

    # CPU time hardly depends on other load, so a round counts by its mean: the kernel accounts for other threads in
    # ticks, and a single short run may read as 0. Wall time depends on other load, so a round counts by its minimum.

    @property
    def cpu(self) -> float:
        """CPU milliseconds of all threads: the minimum of the rounds."""
        return min(one.cpu_ms.mean for one in self.rounds)

    @property
    def median_cpu(self) -> float:
        """CPU milliseconds of all threads: the median of the rounds."""
        return statistics.median(one.cpu_ms.mean for one in self.rounds)

    @property
    def wall(self) -> float:
        """Wall milliseconds: the minimum of the rounds."""
        return min(one.wall_ms.min for one in self.rounds)

    @property
    def first_result(self) -> float:
        """Milliseconds of loading and the first run: the minimum of the starts."""
        return min(one.load_ms + one.first_ms for one in self.starts)


@dataclass(frozen=True)
class Instructions:
    """Instructions of one run on an emulated platform.

    Attributes:
      platform, model: their names.
      multiply_adds: the instructions that the multiply-adds alone take.
      tfcarve: of the carved library with the prepared model.
      lite: of TensorFlow Lite.
    """

    platform: str
    model: str
    multiply_adds: float
    tfcarve: int
    lite: int


_Key = tuple[str, Library, int]


def _by_key(speeds: Iterable[Speed]) -> Mapping[_Key, Speed]:
    return {(one.model, one.library, one.threads): one for one in speeds}


def _models(speeds: Iterable[Speed]) -> list[str]:
    return list(dict.fromkeys(one.model for one in speeds))


def milliseconds(value: float) -> str:
    """Returns a time for a table: three significant digits, or all integer digits."""
    return f"{value:,.{max(0, 3 - len(str(int(value))))}f}"


def _millions(value: float) -> str:
    return f"{value / 1e6:,.0f} M"


def _megabytes(value: int) -> str:
    return f"{value / 1e6:,.1f} MB"


def cpu(speeds: Sequence[Speed], threads: int) -> str:
    """Returns a table of CPU times on `threads` threads, and the ratio to the fastest reference."""
    by_key, lines = _by_key(speeds), []
    for model in _models(speeds):
        found = {library: by_key[model, library, threads] for library in Library}
        times = [
            f"{milliseconds(one.cpu)} ({milliseconds(one.median_cpu)})" for one in found.values()
        ]
        ratio = found[Library.PREPARED].cpu / min(found[reference].cpu for reference in REFERENCES)
        lines.append((model, *times, f"{ratio:.2f}"))
    return markdown(
        ("Model", *(one.value for one in Library), "ratio to the fastest reference"), lines
    )


def wall(speeds: Sequence[Speed]) -> str:
    """Returns a table of wall times on two threads and their speedup over one thread."""
    by_key, lines = _by_key(speeds), []
    for model in _models(speeds):
        one = {library: by_key[model, library, 1].wall for library in Library}
        two = {library: by_key[model, library, 2].wall for library in Library}
        cells = [f"{milliseconds(two[key])} ({one[key] / two[key]:.2f})" for key in Library]
        ratio = two[Library.PREPARED] / min(two[reference] for reference in REFERENCES)
        lines.append((model, *cells, f"{ratio:.2f}"))
    return markdown(
        ("Model", *(one.value for one in Library), "ratio to the fastest reference"), lines
    )


def first_results(speeds: Sequence[Speed]) -> str:
    """Returns a table of the times from loading to the first result, on one thread."""
    by_key, lines = _by_key(speeds), []
    for model in _models(speeds):
        times = {one: by_key[model, one, 1].first_result for one in Library}
        ratio = times[Library.PREPARED] / times[Library.LITE]
        lines.append((model, *(milliseconds(times[one]) for one in Library), f"{ratio:.2f}"))
    head = ("Model", *(one.value for one in Library), "ratio to TensorFlow Lite")
    return markdown(head, lines)


def memory(speeds: Sequence[Speed]) -> str:
    """Returns a table of anonymous memory after the runs and after loading, on one thread."""
    by_key, lines = _by_key(speeds), []
    for model in _models(speeds):
        found = [by_key[model, one, 1].memory for one in Library]
        cells = [f"{_megabytes(one.used)} ({_megabytes(one.loaded)})" for one in found]
        lines.append((model, *cells))
    return markdown(("Model", *(one.value for one in Library)), lines)


def differences(speeds: Sequence[Speed]) -> str:
    """Returns a table of the largest differences of outputs from full TensorFlow's."""
    by_key, lines = _by_key(speeds), []
    for model in _models(speeds):
        largest = [by_key[model, one, 1].difference for one in Library]
        lines.append((model, *(f"{one:.1e}" for one in largest)))
    return markdown(("Model", *(one.value for one in Library)), lines)


def instructions(rows: Sequence[Instructions]) -> str:
    """Returns a table of instructions and their ratio to those of the multiply-adds alone."""
    lines = [
        (
            row.platform,
            row.model,
            _millions(row.multiply_adds),
            f"{_millions(row.tfcarve)} ({row.tfcarve / row.multiply_adds:.2f})",
            f"{_millions(row.lite)} ({row.lite / row.multiply_adds:.2f})",
        )
        for row in rows
    ]
    head = ("Platform", "Model", "multiply-adds alone", Library.PREPARED.value, Library.LITE.value)
    return markdown(head, lines)
