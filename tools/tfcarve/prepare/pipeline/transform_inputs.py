"""Transforms a graph for an app that feeds some of its inputs."""

from collections.abc import Sequence

from tfcarve.prepare.evaluate.evaluator import Evaluator
from tfcarve.prepare.graph.graph import Graph
from tfcarve.prepare.inputs import fixed_inputs, training_inputs
from tfcarve.prepare.pipeline import pipeline
from tfcarve.prepare.pipeline.transform_list import Step

# This transform replaces each PlaceholderWithDefault that is not an input with its default.
_FOR_INFERENCE = "remove_training_nodes"


def with_defaults(
    graph: Graph,
    steps: Sequence[Step],
    inputs: Sequence[str],
    outputs: Sequence[str],
    is_complete: bool,
) -> tuple[Graph, tuple[str, ...]]:
    """Returns the graph with defaults for inputs that the app does not feed, and notes; takes the arguments of `transform`."""
    if is_complete or any(step.name == _FOR_INFERENCE for step in steps):
        return fixed_inputs.with_defaults(graph, inputs, outputs)
    return graph, ()


def transform(
    graph: Graph,
    steps: Sequence[Step],
    inputs: Sequence[str],
    outputs: Sequence[str],
    is_complete: bool,
    evaluator: Evaluator,
    show: pipeline.Show,
) -> tuple[Graph, tuple[str, ...]]:
    """Returns the transformed graph, and notes for the user.

    Args:
      graph: a valid graph, which is consumed; see pipeline.transform.
      steps: the transforms.
      inputs: the tensors that the app feeds.
      outputs: the tensors that the app fetches.
      is_complete: whether an app feeds nothing but `inputs`; otherwise the app may also feed each PlaceholderWithDefault.
      evaluator: TensorFlow.
      show: shows progress.

    Raises:
      InvalidInput: pipeline.transform raises it, or `inputs` are complete but the outputs need another Placeholder.
    """
    graph, notes = with_defaults(graph, steps, inputs, outputs, is_complete)
    before = fixed_inputs.unfed(graph, inputs, outputs)
    of_training = () if is_complete else tuple(training_inputs.notes(graph.nodes, inputs))
    created = pipeline.transform(graph, steps, inputs, outputs, evaluator, show)
    new_inputs, new_outputs = (pipeline.renamed(names, steps) for names in (inputs, outputs))
    if is_complete:
        fixed_inputs.require_fed(before, fixed_inputs.unfed(created, new_inputs, new_outputs))
        notes += tuple(fixed_inputs.leftover_notes(created, new_inputs, new_outputs))
    return created, (*notes, *of_training)
