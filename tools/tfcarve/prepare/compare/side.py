"""One of the two compared models."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from tfcarve.errors import InvalidInput
from tfcarve.nearest import nearest
from tfcarve.prepare import tensors
from tfcarve.prepare.evaluate import Loaded
from tfcarve.prepare.evaluate_messages import Output
from tfcarve.prepare.graph import Graph, Ref
from tfcarve.prepare.inference import Outputs, output_of
from tfcarve.prepare.messages import TensorProto


@dataclass(frozen=True)
class Side:
    """A model that TensorFlow has loaded.

    Attributes:
      name: the name of its file, for messages.
      graph: the GraphDef.
      loaded: the graph as loaded by TensorFlow.
      outputs: the types and shapes that TensorFlow infers for each node.
    """

    name: str
    graph: Graph
    loaded: Loaded
    outputs: Outputs

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

    def run(self, fetches: Sequence[Ref], feeds: Mapping[Ref, TensorProto]) -> list[TensorProto]:
        """Returns the values of `fetches`; feeds of nodes that the model does not have are ignored; raises Failed."""
        own = {source: value for source, value in feeds.items() if source.node in self.outputs}
        return self.loaded.run(fetches, own)


def comparable(output: Output) -> bool:
    """Returns whether the values of an output can be converted to an array."""
    return output.dtype == tensors.STRING or tensors.has_numbers(output.dtype)
