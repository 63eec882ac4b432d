"""Runs a graph on many samples: the interface that measuring needs, and full TensorFlow's child process."""

import time
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from typing import Protocol

from tfcarve.prepare.evaluate.evaluator import Evaluator, Loaded
from tfcarve.prepare.graph.graph import Graph, Ref
from tfcarve.prepare.graph.messages import TensorProto

# A process has a limit on its processor time, so a new one starts after this time.
_SECONDS = 300.0


class Session(Protocol):
    """A graph that is ready to run; leaving its context frees it."""

    def run(self, outputs: Sequence[Ref], feeds: Mapping[Ref, TensorProto]) -> list[TensorProto]:
        """Returns the values of `outputs`; raises evaluate.Failed if they can't be computed."""

    def __enter__(self) -> "Session": ...

    def __exit__(self, *_: object) -> None: ...


class FullSession:
    """A graph in TensorFlow, which is loaded again in a new process before a process reaches its time limit."""

    def __init__(self, graph: Graph, size: int, op_libraries: Sequence[str] = ()) -> None:
        """Takes the graph, its size in bytes, which determines the memory limit, and libraries with custom ops."""
        self._graph = graph
        self._size = size
        self._op_libraries = op_libraries
        self._stack = ExitStack()
        self._loaded: Loaded | None = None
        self._started = 0.0

    def run(self, outputs: Sequence[Ref], feeds: Mapping[Ref, TensorProto]) -> list[TensorProto]:
        """Returns the values of `outputs`; raises evaluate.Failed if TensorFlow can't compute them."""
        if self._loaded is None or time.monotonic() - self._started > _SECONDS:
            self._stack.close()
            evaluator = self._stack.enter_context(Evaluator(self._size, self._op_libraries))
            self._loaded = self._stack.enter_context(evaluator.loaded(self._graph))
            self._started = time.monotonic()
        return self._loaded.run(outputs, feeds)

    def __enter__(self) -> "FullSession":
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()
