"""What a model asks for: the one form that all readers give."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class AttrValue:
    """A node attribute's value, as far as it decides ops and kernels.

    Attributes:
      kind: type, string, int, float, bool, func, placeholder, list(type), list(string),
        list(int), list(float), list(bool), list(func), or other (tensors and shapes: never read).
      value: a data type's name, string, number, truth value, function's name, or
        a tuple of those.
    """

    kind: str
    value: Any


@dataclass(frozen=True, slots=True)
class NodeUse:
    """One node of a model.

    Attributes:
      model: the model's path as the user gave it.
      function: the function whose body the node is in; empty for the graph itself.
      node: the node's name.
      op: the op, or the function of the model that the node calls.
      device: the device asked for; empty where it is left open.
      attrs: attribute to value.
    """

    model: str
    function: str
    node: str
    op: str
    device: str
    attrs: Mapping[str, AttrValue]

    def place(self) -> str:
        """Returns where the node is, for messages."""
        inside = f" in function {self.function}" if self.function else ""
        return f"node {self.node!r}{inside}"


@dataclass(frozen=True, slots=True)
class Model:
    """A model as read.

    Attributes:
      path: as the user gave it.
      sha256: of the file (of all that was read, where it is several).
      format: graphdef, graphdef-text, saved_model, meta_graph, tflite-flex, ops-list.
      nodes: all nodes, those of the function library included, in the order of the file.
      functions: the names of the functions that the model brings along.
      gradients: function to its gradient function, as the library says.
      kernels: kernel classes asked for by name (ops lists only): (op, class).
    """

    path: str
    sha256: str
    format: str
    nodes: tuple[NodeUse, ...]
    functions: frozenset[str] = frozenset()
    kernels: tuple[tuple[str, str], ...] = ()
