"""Computes values of a graph without inputs with TensorFlow."""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager

from tfcarve.errors import InvalidInput
from tfcarve.prepare.evaluate.evaluator import Evaluator, Failed, Loaded
from tfcarve.prepare.freeze.reason import reason
from tfcarve.prepare.freeze.tensor_names import parsed
from tfcarve.prepare.graph.graph import Graph, Ref
from tfcarve.prepare.graph.messages import NodeDef, TensorProto


@contextmanager
def loaded(evaluator: Evaluator, nodes: Iterable[NodeDef]) -> Iterator[Loaded]:
    """Loads a graph without functions for the duration of the block.

    Raises InvalidInput, with TensorFlow's reason, if it rejects the graph, or can't compute a value in the block.
    """
    try:
        with evaluator.loaded(Graph(list(nodes))) as found:
            yield found
    except Failed as error:
        raise InvalidInput(reason(error)) from None


def computed(
    evaluator: Evaluator, nodes: Iterable[NodeDef], tensors: Sequence[str]
) -> list[TensorProto]:
    """Returns the values of `tensors`, which are inputs of a NodeDef (`a`, `a:1`), in the graph of `nodes`.

    Raises InvalidInput, with TensorFlow's reason, if it can't compute them.
    """
    with loaded(evaluator, nodes) as graph:
        return graph.run([Ref(*parsed(tensor)) for tensor in tensors], {})
