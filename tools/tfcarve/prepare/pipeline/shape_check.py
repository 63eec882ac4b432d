"""Checks the shapes of a transformed graph with TensorFlow, which takes longer than the other checks."""

from collections.abc import Callable, Sequence

from tfcarve.errors import InvalidInput
from tfcarve.prepare.evaluate import inference
from tfcarve.prepare.evaluate.evaluator import Evaluator, Failed, installed
from tfcarve.prepare.graph.graph import Graph
from tfcarve.prepare.pipeline import pipeline
from tfcarve.prepare.pipeline.step_check import broken
from tfcarve.prepare.pipeline.transform_list import Step

# Transforms for older TensorFlow, whose results newer TensorFlow does not load.
_FOR_OLDER = frozenset(("backport_tensor_array_v3",))


def require_valid_shapes(
    graph: Graph,
    read: Callable[[], Graph],
    steps: Sequence[Step],
    inputs: Sequence[str],
    outputs: Sequence[str],
    evaluator: Evaluator,
) -> None:
    """Checks the shapes of a graph, if tensorflow is installed.

    Args:
      graph: the transformed graph.
      read: returns the graph before the first transform; it is called only if a shape is invalid.
      steps: the transforms that were applied.
      inputs: the tensors that the app feeds.
      outputs: the tensors that the app fetches.
      evaluator: TensorFlow.

    Raises:
      InvalidInput: shapes of the model are invalid, or because of the parameters of a transform.
      InternalError: shapes are invalid because of a transform, which the message names.
    """
    if not installed() or not _FOR_OLDER.isdisjoint(step.name for step in steps):
        return
    why = _why_invalid(graph, evaluator)
    if not why:
        return

    def require(name: str, done: Graph) -> None:
        problem = _why_invalid(done, evaluator)
        if problem and not name:
            raise InvalidInput(f"TensorFlow rejects this model: {problem}")
        if problem:
            raise broken(name, problem)

    pipeline.transform(read(), steps, inputs, outputs, evaluator, after_step=require)
    raise InvalidInput(f"TensorFlow rejects the result: {why}")


def _why_invalid(graph: Graph, evaluator: Evaluator) -> str:
    """Returns TensorFlow's message about invalid shapes, or an empty string."""
    try:
        inference.outputs(graph, evaluator)
    except Failed as error:
        return str(error)
    return ""
