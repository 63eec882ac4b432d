"""Computes the number of iterations of a loop that does not depend on the model's inputs."""

from collections.abc import Mapping
from typing import Any

import tensorflow as tf
from tensorflow.core.framework import graph_pb2

from tfcarve.errors import InvalidInput
from tfcarve.prepare.freeze.bodies import Body
from tfcarve.prepare.freeze.known_shapes import with_known_shapes
from tfcarve.prepare.freeze.nodes import make
from tfcarve.prepare.freeze.ops import NodeDef, Ops, functions_of
from tfcarve.prepare.freeze.prune import needed
from tfcarve.prepare.freeze.tensor_names import parsed
from tfcarve.prepare.freeze.trace import Trace


def _arguments(body: Body, results: set[int]) -> set[int]:
    """Returns the numbers of the arguments of `body` that the given results need."""
    roots = [parsed(body.results[number].tensor)[0] for number in results]
    names = {*roots, *needed(body.nodes, roots)}
    reached = {parsed(i)[0] for node in body.nodes if node.name in names for i in node.input}
    return {n for n, a in enumerate(body.arguments) if a.name in names | reached}


def _deciding(condition: Body, body: Body) -> set[int]:
    """Returns the loop variables that determine the number of iterations."""
    found = _arguments(condition, {0})
    while True:
        more = found | _arguments(body, found)
        if more == found:
            return found
        found = more


class _Function:
    """A callable that computes some results of a body.

    Raises InvalidInput if the body has side effects or calls functions.
    """

    def __init__(self, body: Body, results: list[int], ops: Ops) -> None:
        self._arguments = body.arguments
        self._results = [body.results[number].tensor for number in results]
        names = needed(body.nodes, [parsed(r)[0] for r in self._results])
        nodes = [node for node in body.nodes if node.name in names]
        for node in nodes:
            if ops.is_stateful(node) or any(True for _ in functions_of(node)):
                raise InvalidInput(f"it depends on the node {node.name!r} ({node.op})")
        placeholders = [
            make(a.name, "Placeholder", [], {"dtype": a.dtype}) for a in self._arguments
        ]
        self._graph = tf.Graph()
        with self._graph.as_default():
            tf.import_graph_def(graph_pb2.GraphDef(node=[*placeholders, *nodes]), name="")
        self._session = tf.compat.v1.Session(graph=self._graph)

    def __call__(self, values: Mapping[int, Any]) -> list[Any]:
        feeds = {f"{self._arguments[n].name}:0": value for n, value in values.items()}
        fetches = ["{}:{}".format(*parsed(result)) for result in self._results]
        return list(self._session.run(fetches, feeds))


def count(
    loop: NodeDef, functions: Mapping[str, Body], trace: Trace, ops: Ops, max_iterations: int
) -> int:
    """Returns the number of iterations of a While.

    Args:
      loop: the While node.
      functions: the bodies of functions, by name.
      trace: the graph with the node.
      ops: the OpDefs.
      max_iterations: the largest accepted number.
    Raises InvalidInput if the number depends on inputs or on state, or is larger than `max_iterations`.
    """
    condition, body = (functions[loop.attr[role].func.name] for role in ("cond", "body"))
    deciding = sorted(_deciding(condition, body))
    try:
        above = needed(trace.nodes.values(), [parsed(loop.input[n])[0] for n in deciding])
        nodes = [node for node in trace.nodes.values() if node.name in above]
        known = Trace(with_known_shapes(nodes, ops), ops)
        values = {n: known.value(loop.input[n]) for n in deciding}
        condition_of, step = _Function(condition, [0], ops), _Function(body, deciding, ops)
    except (InvalidInput, tf.errors.OpError) as error:
        raise InvalidInput(
            f"node {loop.name!r}: the number of iterations is unknown before the model runs: {error}: remove "
            "--unroll, or make the size that it depends on constant"
        ) from None
    for number in range(max_iterations + 1):
        if not condition_of(values)[0]:
            return number
        values = dict(zip(deciding, step(values), strict=True))
    raise InvalidInput(
        f"node {loop.name!r}: the loop has more iterations than --unroll {max_iterations}"
    )
