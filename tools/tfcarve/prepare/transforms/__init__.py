"""The transforms: one module each, with the name of the transform, loaded on first use.

Here: one module for each transform.
Not here: helpers that transforms share, which are in the other folders.
"""

import importlib
import pkgutil
from typing import Protocol, cast

from tfcarve.errors import InvalidInput
from tfcarve.nearest import nearest
from tfcarve.prepare.context import Context
from tfcarve.prepare.graph.graph import Graph

# The parameters of all transforms. Source: TransformGraph in tensorflow/tools/graph_transforms/transform_graph.cc.
COMMON_PARAMETERS = frozenset(("ignore_errors",))


class Transform(Protocol):
    """The interface of a transform's module.

    Attributes:
      PARAMETERS: the names of its parameters.
      IN_FUNCTIONS: whether it also applies to function bodies.
      NEEDS_TENSORFLOW: whether it computes values or types with TensorFlow, also if the graph has no functions.
      CAN_BREAK_GRAPHS: whether its parameters can make a valid graph invalid.
    """

    PARAMETERS: frozenset[str]
    IN_FUNCTIONS: bool
    NEEDS_TENSORFLOW: bool
    CAN_BREAK_GRAPHS: bool

    def apply(self, graph: Graph, context: Context) -> Graph:
        """Returns the transformed graph; the nodes of `graph` may be modified."""


NAMES = tuple(sorted(module.name for module in pkgutil.iter_modules(__path__)))


def load(name: str) -> Transform:
    """Returns the transform `name`; raises InvalidInput, with the nearest names, if it is unknown."""
    if name not in NAMES:
        raise InvalidInput(f"transform {name!r} is unknown{nearest(name, NAMES)}")
    return cast(Transform, importlib.import_module(f"{__name__}.{name}"))


def without_tensorflow() -> list[str]:
    """Returns the names of the transforms that do not need TensorFlow."""
    return [name for name in NAMES if not load(name).NEEDS_TENSORFLOW]
