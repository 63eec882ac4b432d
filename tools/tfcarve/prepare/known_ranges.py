"""The ranges of ranges.json, for the tensors of a graph."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from tfcarve.errors import InvalidInput
from tfcarve.nearest import nearest
from tfcarve.prepare.calibrate import ranges
from tfcarve.prepare.calibrate.ranges import TensorRange
from tfcarve.prepare.context import Parameters
from tfcarve.prepare.graph import Ref, ref
from tfcarve.prepare.messages import NodeDef

PARAMETER = "ranges"
Range = tuple[np.float32, np.float32]


@dataclass(frozen=True)
class KnownRanges:
    """The ranges in a file; all of them belong to nodes of the graph.

    Attributes:
      where: the name of the file.
      by_tensor: the ranges.
    """

    where: str
    by_tensor: Mapping[Ref, TensorRange]

    def of(self, source: Ref) -> Range:
        """Returns the range of a tensor, extended to 0; raises InvalidInput if there is none."""
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
    found = {ref(name): each for name, each in ranges.read(Path(path)).by_tensor().items()}
    for source in found:
        if source.node not in known:
            raise InvalidInput(
                f"{path}: names {source.node!r}, which is not a node of the graph{nearest(source.node, known)}: "
                "run `tfcarve calibrate` on this model"
            )
    return KnownRanges(path, found)
