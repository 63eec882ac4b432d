"""Runs a model in a carved library and in its peers, in turns."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path

from benchmarks import peers
from benchmarks.carved import Both, Carved
from benchmarks.peers import Peer
from benchmarks.speed_table import PEERS, Library, Memory, Speed
from demo import cached_models
from tfcarve.benchmark.measured import Measured

THREADS = (1, 2)
ROUNDS = 12
# Further processes of TensorFlow Lite, for the time that it takes to start.
_STARTS = 5
# A round takes about so many milliseconds of CPU time, and has at least and at most so many runs.
_ROUND = 400
_RUNS = (3, 60)


def runs_of(cpu: float) -> int:
    """Returns how many runs make a round where one takes `cpu` milliseconds."""
    least, most = _RUNS
    return max(least, min(most, int(_ROUND / max(cpu, 1e-3))))


def _file(one: Library, name: str, own: Both) -> Path:
    return cached_models.lite(name) if one is Library.LITE else own.frozen.model.model


def _rounds(
    own: Mapping[Library, Carved], others: Mapping[Library, Peer], threads: int
) -> dict[Library, list[Measured]]:
    """The rounds of all libraries."""
    own_runs = {one: runs_of(run.measured(threads, 1).cpu_ms.min) for one, run in own.items()}
    runs = {one: runs_of(peer.measured(1).cpu_ms.min) for one, peer in others.items()}
    rounds: dict[Library, list[Measured]] = {one: [] for one in Library}
    for _ in range(ROUNDS):
        for one, run in own.items():
            rounds[one].append(run.measured(threads, own_runs[one]))
        for one, peer in others.items():
            rounds[one].append(peer.measured(runs[one]))
    return rounds


def _lite_starts(name: str, own: Both, threads: int) -> Iterator[Measured]:
    for _ in range(_STARTS):
        model = own.frozen.model
        with peers.started(Library.LITE, cached_models.lite(name), model, threads) as peer:
            yield peer.measured(1)


def memory(starts: Sequence[Measured], before: int) -> Memory:
    """Returns the least memory of processes that had `before` bytes before they loaded the model."""
    loaded = min(one.anonymous_bytes_loaded or 0 for one in starts)
    return Memory(loaded - before, min(one.anonymous_bytes or 0 for one in starts) - before)


def speeds(name: str, own: Both, threads: int) -> Iterator[Speed]:
    """Yields the speed of each library with a model.

    Raises NestedError where a peer can't run it, and what program.run does.
    """
    with ExitStack() as stack:
        others = {}
        for one in PEERS:
            process = peers.started(one, _file(one, name, own), own.frozen.model, threads)
            others[one] = stack.enter_context(process)
        ours = {Library.OURS: own.prepared, Library.FROZEN: own.frozen}
        rounds = _rounds(ours, others, threads)
    for one, run in ours.items():
        # Each round is a new process.
        taken = rounds[one]
        yield Speed(name, one, threads, taken, taken, memory(taken, 0), run.difference)
    for one, peer in others.items():
        taken, least = rounds[one], memory(rounds[one][:1], peer.memory)
        starts = taken[:1]
        if one is Library.LITE:
            starts += _lite_starts(name, own, threads)
        yield Speed(name, one, threads, taken, starts, least, peer.difference)
