"""Signatures of a SavedModel or MetaGraph: their inputs and outputs. Pure."""

from collections.abc import Iterable, Sequence

from tfcarve.json_codec import JsonDocument


class SignatureTensor(JsonDocument, frozen=True):
    """An input or output of a signature.

    Attributes:
      name: its name in the signature.
      tensors: its tensors in the graph: one, the values, indices and dense shape of a sparse tensor, or the components
        of a composite tensor.
      dtype: TensorFlow's name of its type; "" if the file does not state it.
      shape: -1 for an unknown dimension; None: unknown rank.
    """

    name: str
    tensors: tuple[str, ...]
    dtype: str
    shape: tuple[int, ...] | None


class Signature(JsonDocument, frozen=True):
    """The inputs of a signature, and the outputs that it fetches or runs, each sorted by name."""

    inputs: tuple[SignatureTensor, ...]
    outputs: tuple[SignatureTensor, ...]

    def input_nodes(self) -> frozenset[str]:
        """Returns the nodes that the signature feeds."""
        return _nodes(self.inputs)

    def output_nodes(self) -> frozenset[str]:
        """Returns the nodes that the signature fetches or runs."""
        return _nodes(self.outputs)


def shape_text(shape: Sequence[int] | None) -> str:
    """Returns a shape as text; ? is an unknown dimension."""
    if shape is None:
        return "shape unknown"
    return "[" + ", ".join("?" if d < 0 else str(d) for d in shape) + "]"


def node_of(tensor: str) -> str:
    """Returns the node of a tensor or control input: `a` for `a:1`, `^a` and `a:out:0`."""
    return tensor.removeprefix("^").partition(":")[0]


def _nodes(tensors: Iterable[SignatureTensor]) -> frozenset[str]:
    return frozenset(node_of(tensor) for found in tensors for tensor in found.tensors)
