"""One of the two models that are compared, loaded."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from tfcarve.errors import InvalidInput
from tfcarve.prepare import tensors
from tfcarve.prepare.evaluate import Loaded, Output
from tfcarve.prepare.graph import Graph, Ref, nearest
from tfcarve.prepare.inference import Outputs, output_of
from tfcarve.prepare.messages import TensorProto


@dataclass(frozen=True)
class Side:
    """A model that TensorFlow has loaded.

    Attributes:
      name: of its file, for messages.
      graph: its nodes.
      loaded: runs it.
      outputs: for each node what TensorFlow infers of its outputs.
    """

    name: str
    graph: Graph
    loaded: Loaded
    outputs: Outputs

    def has(self, source: Ref) -> bool:
        """Says whether a node has that output, of a type whose values can be compared."""
        output = output_of(source, self.outputs)
        return output is not None and comparable(output)

    def require(self, kind: str, sources: Collection[Ref]) -> None:
        """Makes sure that all can be fed or fetched; raises InvalidInput with the nearest names."""
        for source in sources:
            if source.node not in self.outputs:
                near = nearest(source.node, self.outputs)
                raise InvalidInput(f"{self.name}: {kind} {source.text()!r} names no node{near}")
            if not self.has(source):
                raise InvalidInput(
                    f"{self.name}: {kind} {source.text()!r}: the node has no such output with values that can be "
                    "compared (numbers, bools, strings): name another"
                )

    def run(self, fetches: Sequence[Ref], feeds: Mapping[Ref, TensorProto]) -> list[TensorProto]:
        """Returns the values of `fetches`, fed with those of `feeds` that the model has; raises Failed."""
        own = {source: value for source, value in feeds.items() if source.node in self.outputs}
        return self.loaded.run(fetches, own)


def comparable(output: Output) -> bool:
    """Says whether the values of an output can be had as an array."""
    return output.dtype == tensors.STRING or tensors.has_numbers(output.dtype)
