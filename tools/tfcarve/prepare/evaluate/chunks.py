"""Divides tensors to fetch into groups of bounded size. Pure."""

from collections.abc import Iterator, Sequence

from tfcarve.prepare.evaluate.inference import Outputs
from tfcarve.prepare.evaluate.requests import Output
from tfcarve.prepare.graph import tensors
from tfcarve.prepare.graph.graph import Ref

# The limits of one fetch: bytes (as far as shapes are known) and tensors.
_MAX_BYTES = 1 << 26
_MAX_TENSORS = 64


def _size(output: Output) -> int:
    size = tensors.item_size(output.dtype)
    for dim in output.shape or ():
        size *= max(dim, 1)
    return size


def chunks(sources: Sequence[Ref], outputs: Outputs, batch: int = 1) -> Iterator[list[Ref]]:
    """Yields the tensors in groups that are fetched together.

    Args:
      sources: the tensors.
      outputs: the types and shapes of each node's outputs.
      batch: by how much an unknown dimension of a tensor multiplies its size.
    """
    chunk: list[Ref] = []
    size = 0
    for source in sources:
        output = outputs[source.node][source.output]
        needed = _size(output) * (1 if output.known() else batch)
        if chunk and (size + needed > _MAX_BYTES or len(chunk) == _MAX_TENSORS):
            yield chunk
            chunk, size = [], 0
        chunk.append(source)
        size += needed
    if chunk:
        yield chunk
