"""Times, memory and instructions of one inference: what was measured, and its tables."""

from __future__ import annotations

import statistics
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum

from benchmarks.measure import markdown
from tfcarve.benchmark.measured import Measured


class Library(Enum):
    """What runs a model; the value is its name in the tables."""

    OURS = "tfcarve, prepared"
    FROZEN = "tfcarve"
    ONEDNN = "TensorFlow, oneDNN"
    TENSORFLOW = "TensorFlow"
    LITE = "TensorFlow Lite"


PEERS = (Library.ONEDNN, Library.TENSORFLOW, Library.LITE)


@dataclass(frozen=True)
class Memory:
    """Bytes of anonymous memory: of a session, and after runs."""

    loaded: int
    used: int


@dataclass(frozen=True)
class Speed:
    """A model in a library on a number of threads.

    Attributes:
      model: the model's name.
      library: what runs it.
      threads: how many compute.
      rounds: of runs, in turns with the other libraries'.
      starts: processes that loaded the model: the rounds again where each had a process of its own.
      memory: the least of the starts.
      difference: largest difference of an output from full TensorFlow's.
    """

    model: str
    library: Library
    threads: int
    rounds: Sequence[Measured]
    starts: Sequence[Measured]
    memory: Memory
    difference: float

    # A run's CPU time hardly depends on what else the machine does, and the mean of a round's runs stands for them:
    # the kernel counts the time of other threads in ticks, so that a single short run may read as none at all. The
    # time on the wall does depend on it, and the fastest run stands for them.

    @property
    def cpu(self) -> float:
        """Milliseconds of all threads, the least of the rounds."""
        return min(one.cpu_ms.mean for one in self.rounds)

    @property
    def usual_cpu(self) -> float:
        """The same, the median of the rounds."""
        return statistics.median(one.cpu_ms.mean for one in self.rounds)

    @property
    def wall(self) -> float:
        """Milliseconds on the wall, the least of the rounds."""
        return min(one.wall_ms.min for one in self.rounds)

    @property
    def until_result(self) -> float:
        """Milliseconds of loading and of the first run, the least of the starts."""
        return min(one.load_ms + one.first_ms for one in self.starts)


@dataclass(frozen=True)
class Instructions:
    """Instructions of one run on an emulated platform.

    Attributes:
      platform: the platform.
      model: the model.
      multiply_adds: those that its multiply-adds take alone.
      ours: of the carved library with the prepared model.
      lite: of TensorFlow Lite.
    """

    platform: str
    model: str
    multiply_adds: float
    ours: int
    lite: int


_Key = tuple[str, Library, int]


def _by_key(speeds: Iterable[Speed]) -> Mapping[_Key, Speed]:
    return {(one.model, one.library, one.threads): one for one in speeds}


def _models(speeds: Iterable[Speed]) -> list[str]:
    return list(dict.fromkeys(one.model for one in speeds))


def milliseconds(value: float) -> str:
    """Returns a time for a table: three digits, or all before the point."""
    return f"{value:,.{max(0, 3 - len(str(int(value))))}f}"


def _millions(value: float) -> str:
    return f"{value / 1e6:,.0f} M"


def _megabytes(value: int) -> str:
    return f"{value / 1e6:,.1f} MB"


def cpu(speeds: Sequence[Speed], threads: int) -> str:
    """Returns a table of CPU times on `threads` threads: ours beside the peers', and the ratio to the faster."""
    by_key, lines = _by_key(speeds), []
    for model in _models(speeds):
        found = {library: by_key[model, library, threads] for library in Library}
        times = [
            f"{milliseconds(one.cpu)} ({milliseconds(one.usual_cpu)})" for one in found.values()
        ]
        ratio = found[Library.OURS].cpu / min(found[peer].cpu for peer in PEERS)
        lines.append((model, *times, f"{ratio:.2f}"))
    return markdown(("Model", *(one.value for one in Library), "ratio to the fastest peer"), lines)


def wall(speeds: Sequence[Speed]) -> str:
    """Returns a table of the time on the wall on two threads, and how many times that is faster than one."""
    by_key, lines = _by_key(speeds), []
    for model in _models(speeds):
        one = {library: by_key[model, library, 1].wall for library in Library}
        two = {library: by_key[model, library, 2].wall for library in Library}
        cells = [f"{milliseconds(two[key])} ({one[key] / two[key]:.2f})" for key in Library]
        ratio = two[Library.OURS] / min(two[peer] for peer in PEERS)
        lines.append((model, *cells, f"{ratio:.2f}"))
    return markdown(("Model", *(one.value for one in Library), "ratio to the fastest peer"), lines)


def first_results(speeds: Sequence[Speed]) -> str:
    """Returns a table of the time from the start of loading to the first result on one thread."""
    by_key, lines = _by_key(speeds), []
    for model in _models(speeds):
        times = {one: by_key[model, one, 1].until_result for one in Library}
        ratio = times[Library.OURS] / times[Library.LITE]
        lines.append((model, *(milliseconds(times[one]) for one in Library), f"{ratio:.2f}"))
    head = ("Model", *(one.value for one in Library), "ratio to TensorFlow Lite")
    return markdown(head, lines)


def memory(speeds: Sequence[Speed]) -> str:
    """Returns a table of anonymous memory on one thread, after the runs and after loading."""
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
    """Returns a table of millions of instructions, and how many times the multiply-adds alone that is."""
    lines = [
        (
            row.platform,
            row.model,
            _millions(row.multiply_adds),
            f"{_millions(row.ours)} ({row.ours / row.multiply_adds:.2f})",
            f"{_millions(row.lite)} ({row.lite / row.multiply_adds:.2f})",
        )
        for row in rows
    ]
    head = ("Platform", "Model", "multiply-adds alone", Library.OURS.value, Library.LITE.value)
    return markdown(head, lines)
