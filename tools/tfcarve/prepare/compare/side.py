"""One of the two compared models."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass

from tfcarve.errors import InvalidInput
from tfcarve.nearest import nearest
from tfcarve.prepare.evaluate.evaluator import Loaded
from tfcarve.prepare.evaluate.inference import Outputs, output_of
from tfcarve.prepare.evaluate.requests import Output
from tfcarve.prepare.graph import tensors
from tfcarve.prepare.graph.graph import Graph, Ref
from tfcarve.prepare.graph.messages import TensorProto
from tfcarve.prepare.original.run import Original


@dataclass(frozen=True)
class Side:
    """A model that TensorFlow has loaded.

    Attributes:
      name: the name of its file, for messages.
      graph: the GraphDef.
      loaded: the graph as loaded by TensorFlow.
      outputs: the types and shapes that TensorFlow infers for each node.
      declared: the model's own outputs; empty if it does not name them.
      original: the model from which the graph was frozen; None if the graph is the model.
    """

    name: str
    graph: Graph
    loaded: Loaded
    outputs: Outputs
    declared: tuple[Ref, ...] = ()
    original: Original | None = None

    def has(self, source: Ref) -> bool:
        """Returns whether `source` exists and has a type whose values can be compared."""
        output = output_of(source, self.outputs)
        return output is not None and comparable(output)

    def require(self, kind: str, sources: Collection[Ref]) -> None:
        """Checks that all `sources` can be fed or fetched; raises InvalidInput with the nearest names."""
        for source in sources:
            if source.node not in self.outputs:
                near = nearest(source.node, self.outputs)
                raise InvalidInput(
                    f"{self.name}: {kind} {source.text()!r} is not a node of the graph{near}"
                )
            if not self.has(source):
                raise InvalidInput(
                    f"{self.name}: {kind} {source.text()!r}: the node has no such output of numbers, bools or strings: "
                    "choose another one"
                )

    def require_declared(self, sources: Collection[Ref]) -> None:
        """Checks that the original of a frozen model has the outputs; raises InvalidInput with its outputs."""
        for source in sources:
            if self.declared and source not in self.declared:
                listed = ", ".join(each.text() for each in self.declared)
                raise InvalidInput(
                    f"{self.name}: {source.text()!r} is not an output of the model: it has {listed}"
                )

    def values(
        self, outputs: Sequence[Ref], samples: Sequence[Mapping[Ref, TensorProto]]
    ) -> Iterator[list[TensorProto]]:
        """Yields the values of the outputs `outputs` for each sample; a model that was frozen runs in its original form.

        Feeds of nodes that the model does not have are ignored. Raises Failed for the sample that can't be run.
        """
        if self.original is None:
            yield from (self.run(outputs, sample) for sample in samples)
        else:
            yield from self.original.run(outputs, [self._own(sample) for sample in samples])

    def run(self, outputs: Sequence[Ref], feeds: Mapping[Ref, TensorProto]) -> list[TensorProto]:
        """Returns the values that the graph computes for tensors; `feeds` has the form of the samples of `values`; raises Failed."""
        return self.loaded.run(outputs, self._own(feeds))

    def _own(self, feeds: Mapping[Ref, TensorProto]) -> dict[Ref, TensorProto]:
        return {source: value for source, value in feeds.items() if source.node in self.outputs}


def comparable(output: Output) -> bool:
    """Returns whether the values of an output can be converted to an array."""
    return output.dtype == tensors.STRING or tensors.has_numbers(output.dtype)
