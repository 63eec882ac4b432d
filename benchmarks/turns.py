"""Runs a model in a carved library and in its peers, in turns."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path

from benchmarks import peers
from benchmarks.carved import Carved
from benchmarks.peers import Peer
from benchmarks.speed_table import PEERS, Library, Memory, Speed
from demo import made_models
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


def _file(one: Library, name: str, own: Carved) -> Path:
    return made_models.lite(name) if one is Library.LITE else own.model.model


def _rounds(
    own: Carved, others: Mapping[Library, Peer], threads: int
) -> dict[Library, list[Measured]]:
    """The rounds of all libraries."""
    own_runs = runs_of(own.measured(threads, 1).cpu_ms.min)
    runs = {one: runs_of(peer.measured(1).cpu_ms.min) for one, peer in others.items()}
    rounds: dict[Library, list[Measured]] = {one: [] for one in Library}
    for _ in range(ROUNDS):
        rounds[Library.OURS].append(own.measured(threads, own_runs))
        for one, peer in others.items():
            rounds[one].append(peer.measured(runs[one]))
    return rounds


def _lite_starts(name: str, own: Carved, threads: int) -> Iterator[Measured]:
    for _ in range(_STARTS):
        with peers.started(Library.LITE, made_models.lite(name), own.model, threads) as peer:
            yield peer.measured(1)


def memory(starts: Sequence[Measured], before: int) -> Memory:
    """Returns the least memory of processes that had `before` bytes before they loaded the model."""
    loaded = min(one.anonymous_bytes_loaded or 0 for one in starts)
    return Memory(loaded - before, min(one.anonymous_bytes or 0 for one in starts) - before)


def speeds(name: str, own: Carved, threads: int) -> Iterator[Speed]:
    """Yields the speed of each library with a model.

    Raises NestedError where a peer can't run it, and what program.run does.
    """
    with ExitStack() as stack:
        others = {}
        for one in PEERS:
            process = peers.started(one, _file(one, name, own), own.model, threads)
            others[one] = stack.enter_context(process)
        rounds = _rounds(own, others, threads)
    # Ours is a new process in each round.
    ours = rounds[Library.OURS]
    yield Speed(name, Library.OURS, threads, ours, ours, memory(ours, 0), own.difference)
    for one, peer in others.items():
        taken, least = rounds[one], memory(rounds[one][:1], peer.memory)
        starts = taken[:1]
        if one is Library.LITE:
            starts += _lite_starts(name, own, threads)
        yield Speed(name, one, threads, taken, starts, least, peer.difference)
