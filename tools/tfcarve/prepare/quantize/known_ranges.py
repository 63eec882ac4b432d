"""The ranges and means of ranges.json, for the tensors and nodes of a graph."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from tfcarve.errors import InvalidInput
from tfcarve.nearest import nearest
from tfcarve.prepare.context import Parameters
from tfcarve.prepare.graph.graph import Ref, ref
from tfcarve.prepare.graph.messages import NodeDef
from tfcarve.prepare.graph.tensors import Array
from tfcarve.prepare.quantize import ranges
from tfcarve.prepare.quantize.ranges import Ranges, TensorRange

PARAMETER = "ranges"
Range = tuple[np.float32, np.float32]


@dataclass(frozen=True)
class KnownRanges:
    """The ranges in a file; all of them belong to nodes of the graph.

    Attributes:
      where: the name of the file.
      by_tensor: the ranges.
      means: float64 [channels] by node: the means of the channels that the node reads.
    """

    where: str
    by_tensor: Mapping[Ref, TensorRange]
    means: Mapping[str, Array]

    def of(self, source: Ref) -> Range:
        """Returns the range of a tensor, extended to 0; raises InvalidInput if the file has none."""
        found = self.by_tensor.get(source)
        if found is None:
            raise InvalidInput(
                f"{self.where}: has no range for the tensor {source.text()!r}: run `tfcarve calibrate` on this model"
            )
        return np.float32(min(found.low, 0)), np.float32(max(found.high, 0))


def known_ranges(parameters: Parameters, known: Mapping[str, NodeDef]) -> KnownRanges | None:
    """Returns the ranges of the file that the parameter `ranges` names, or None if it is missing.

    Raises InvalidInput if the file is invalid, or names a node that is not in `known`.
    """
    if PARAMETER not in parameters:
        return None
    path = parameters.one(PARAMETER)
    document = ranges.read(Path(path))
    found = {ref(name): each for name, each in document.by_tensor().items()}
    for source in found:
        _require_known(source.node, known, path)
    return KnownRanges(path, found, _means(document, known, path))


def known_means(parameters: Parameters, known: Mapping[str, NodeDef]) -> Mapping[str, Array]:
    """Returns the channel means of the file that the parameter `ranges` names, by node.

    Raises InvalidInput if the file is invalid, has no means, or names a node that is not in `known`.
    """
    path = parameters.one(PARAMETER)
    found = _means(ranges.read(Path(path)), known, path)
    if not found:
        raise InvalidInput(f"{path}: has no means: run `tfcarve calibrate` on this model")
    return found


def _means(document: Ranges, known: Mapping[str, NodeDef], path: str) -> dict[str, Array]:
    for each in document.means:
        _require_known(each.node, known, path)
    return {each.node: np.array(each.means, np.float64) for each in document.means}


def _require_known(name: str, known: Mapping[str, NodeDef], path: str) -> None:
    if name not in known:
        raise InvalidInput(
            f"{path}: names {name!r}, which is not a node of the graph{nearest(name, known)}: "
            "run `tfcarve calibrate` on this model"
        )
