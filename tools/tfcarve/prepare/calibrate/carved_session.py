"""Runs a graph on many samples in a carved library, which this process loads."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from tfcarve.client.arrays import Array
from tfcarve.client.call_error import CallError
from tfcarve.client.library import Library
from tfcarve.errors import InvalidInput
from tfcarve.prepare.evaluate.evaluator import Failed
from tfcarve.prepare.graph import graph_file, tensors
from tfcarve.prepare.graph.graph import Graph, Ref
from tfcarve.prepare.graph.messages import TensorProto


class CarvedSession:
    """A graph in a carved library, on one thread, so that sums are always computed in the same order."""

    def __init__(self, graph: Graph, library: Path) -> None:
        """Loads the library; raises InvalidInput if it cannot be loaded or cannot run the graph."""
        try:
            self._session = Library(library).session_from_bytes(graph_file.to_bytes(graph))
        except CallError as error:
            raise InvalidInput(
                str(error)
                if error.status == 2
                else f"{library}: {error}: carve it for the model "
                "after the first transforms of the preset int8, or calibrate the model --as-is"
            ) from None

    def run(self, outputs: Sequence[Ref], feeds: Mapping[Ref, TensorProto]) -> list[TensorProto]:
        """Returns the values of `outputs`; raises Failed if the library can't compute them."""
        inputs = {_name(ref): _array(tensor, ref.node) for ref, tensor in feeds.items()}
        try:
            with self._session.bind(inputs, [_name(ref) for ref in outputs]).run() as result:
                return [_tensor(result.output(index)) for index in range(len(outputs))]
        except CallError as error:
            raise Failed(str(error)) from None

    def __enter__(self) -> "CarvedSession":
        return self

    def __exit__(self, *_: object) -> None:
        self._session.__exit__()


def _name(ref: Ref) -> str:
    return f"{ref.node}:{ref.output}"


def _array(tensor: TensorProto, where: str) -> Array:
    if tensor.dtype == tensors.STRING:
        raise Failed(f"input {where!r} is a string: strings require full TensorFlow")
    shape = tensors.shape(tensor, where)
    return Array(tensor.dtype, tuple(shape), tensors.to_array(tensor, where).tobytes())


def _tensor(array: Array) -> TensorProto:
    tensor = TensorProto(dtype=array.dtype)
    tensor.tensor_content = array.data
    for size in array.dims:
        tensor.tensor_shape.dim.add(size=size)
    return tensor
