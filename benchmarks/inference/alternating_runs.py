"""Runs a model in a carved library and in the references, in turns."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path

from benchmarks.inference import references
from benchmarks.inference.carved import Carved, CarvedPair
from benchmarks.inference.references import Reference
from benchmarks.inference.speed_table import REFERENCES, Library, Memory, Speed
from demo import cached_models
from tfcarve.benchmark.measurement import Measurement

THREADS = (1, 2)
ROUNDS = 12
# Further processes of TensorFlow Lite, to measure its start.
_STARTS = 5
# CPU milliseconds of a round, and the minimum and maximum number of its runs.
_ROUND_MS = 400
_RUN_LIMITS = (3, 60)


def runs_of(cpu: float) -> int:
    """Returns the number of runs of a round if a run takes `cpu` milliseconds."""
    low, high = _RUN_LIMITS
    return max(low, min(high, int(_ROUND_MS / max(cpu, 1e-3))))


def _file(library: Library, name: str, pair: CarvedPair) -> Path:
    return cached_models.lite(name) if library is Library.LITE else pair.frozen.model.model


def _rounds(
    programs: Mapping[Library, Carved], running: Mapping[Library, Reference], threads: int
) -> dict[Library, list[Measurement]]:
    """Returns the rounds of all libraries."""
    program_runs = {
        one: runs_of(run.measure(threads, 1).cpu_ms.min) for one, run in programs.items()
    }
    runs = {one: runs_of(reference.measure(1).cpu_ms.min) for one, reference in running.items()}
    rounds: dict[Library, list[Measurement]] = {one: [] for one in Library}
    for _ in range(ROUNDS):
        for one, run in programs.items():
            rounds[one].append(run.measure(threads, program_runs[one]))
        for one, reference in running.items():
            rounds[one].append(reference.measure(runs[one]))
    return rounds


def _lite_starts(name: str, pair: CarvedPair, threads: int) -> Iterator[Measurement]:
    for _ in range(_STARTS):
        model = pair.frozen.model
        with references.started(
            Library.LITE, cached_models.lite(name), model, threads
        ) as reference:
            yield reference.measure(1)


def memory(starts: Sequence[Measurement], before: int) -> Memory:
    """Returns the minimum memory of processes that had `before` bytes before they loaded the model."""
    loaded = min(one.anonymous_bytes_loaded or 0 for one in starts)
    return Memory(loaded - before, min(one.anonymous_bytes or 0 for one in starts) - before)


def speeds(name: str, pair: CarvedPair, threads: int) -> Iterator[Speed]:
    """Yields the speed of each library with a model.

    Raises NestedError if a reference cannot run it, and what program.run does.
    """
    with ExitStack() as stack:
        running = {}
        for one in REFERENCES:
            process = references.started(one, _file(one, name, pair), pair.frozen.model, threads)
            running[one] = stack.enter_context(process)
        carved = {Library.PREPARED: pair.prepared, Library.FROZEN: pair.frozen}
        rounds = _rounds(carved, running, threads)
    for one, run in carved.items():
        # Each round ran in a new process.
        measured = rounds[one]
        yield Speed(name, one, threads, measured, measured, memory(measured, 0), run.difference)
    for one, reference in running.items():
        measured, used = rounds[one], memory(rounds[one][:1], reference.memory)
        starts = measured[:1]
        if one is Library.LITE:
            starts += _lite_starts(name, pair, threads)
        yield Speed(name, one, threads, measured, starts, used, reference.difference)
