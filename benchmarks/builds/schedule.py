"""The actions of a build as a graph, and how long they take on a number of workers."""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from e2e.builds.execution_log import Spawn

_OUTPUTS = "bazel-out/"
_DIGEST = "digest:"


@dataclass(frozen=True)
class Action:
    """An action: what it runs, its wall seconds, and the positions of the actions whose outputs it reads."""

    name: str
    seconds: float
    needs: frozenset[int]


def actions(spawns: Iterable[Spawn]) -> list[Action]:
    """Returns the actions of a build in which each ran once, in an order in which each follows those that it needs.

    The log does not contain symbolic links to outputs, but these have the digests of the outputs.
    """
    listed = list(spawns)
    producers: dict[str, int] = {}
    for number, spawn in enumerate(listed):
        for file in spawn.produced:
            producers[file.path] = number
            producers.setdefault(f"{_DIGEST}{file.digest}", number)
    needs = [
        frozenset(
            found
            for file in spawn.inputs
            if file.path.startswith(_OUTPUTS)
            and (
                found := producers.get(file.path, producers.get(f"{_DIGEST}{file.digest}", number))
            )
            != number
        )
        for number, spawn in enumerate(listed)
    ]
    order = _ordered(needs)
    position = {number: place for place, number in enumerate(order)}
    return [
        Action(
            f"{listed[number].mnemonic} {listed[number].source}",
            listed[number].seconds,
            frozenset(position[need] for need in needs[number]),
        )
        for number in order
    ]


def critical_path(graph: Sequence[Action]) -> tuple[float, list[str]]:
    """Returns the seconds that no number of workers can reduce, and the names of the actions that take them, in order."""
    ends: list[float] = []
    last: list[int | None] = []
    for action in graph:
        before = max(action.needs, key=lambda need: ends[need], default=None)
        last.append(before)
        ends.append(action.seconds + (0.0 if before is None else ends[before]))
    place = max(range(len(graph)), key=lambda p: ends[p], default=None)
    total, names = (0.0 if place is None else ends[place]), list[str]()
    while place is not None:
        names.append(graph[place].name)
        place = last[place]
    return total, names[::-1]


def makespan(graph: Sequence[Action], workers: int) -> float:
    """Returns the seconds that a number of workers take, each of which runs one action at a time.

    An idle worker takes the action that the longest chain of actions waits for.
    """
    remaining = [action.seconds for action in graph]
    waiting = [len(action.needs) for action in graph]
    followers: list[list[int]] = [[] for _ in graph]
    for place in reversed(range(len(graph))):
        for need in graph[place].needs:
            followers[need].append(place)
            longest = graph[need].seconds + remaining[place]
            remaining[need] = max(remaining[need], longest)
    ready = [(-remaining[place], place) for place, count in enumerate(waiting) if not count]
    heapq.heapify(ready)
    running: list[tuple[float, int]] = []
    now = 0.0
    while ready or running:
        while ready and len(running) < workers:
            _, place = heapq.heappop(ready)
            heapq.heappush(running, (now + graph[place].seconds, place))
        now, done = heapq.heappop(running)
        for place in followers[done]:
            waiting[place] -= 1
            if not waiting[place]:
                heapq.heappush(ready, (-remaining[place], place))
    return now


def _ordered(needs: Sequence[frozenset[int]]) -> list[int]:
    """Returns the positions so that each follows those that it needs."""
    order: list[int] = []
    entered: set[int] = set()
    for root in range(len(needs)):
        stack = [(root, iter(sorted(needs[root])))] if root not in entered else []
        entered.add(root)
        while stack:
            number, rest = stack[-1]
            following = next((need for need in rest if need not in entered), None)
            if following is None:
                order.append(number)
                stack.pop()
            else:
                entered.add(following)
                stack.append((following, iter(sorted(needs[following]))))
    return order
