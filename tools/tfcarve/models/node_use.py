"""What a model asks for: the one form that all readers give."""

from abc import abstractmethod
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class AttrValue:
    """A node attribute's value, as far as it decides ops and kernels.

    Attributes:
      kind: type, string, int, bool, func, placeholder, list(type), list(string), list(int),
        list(bool), list(func), tensor, shape, or other (what chooses no kernel: never read).
      value: a data type's name, string, number, truth value, function's name, or a
        tuple of those; of a tensor its data type and dimensions; of a shape its
        dimensions (-1 where open), None where the rank is open.
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
      inputs: the tensors it takes, as written in the node; `^` before control inputs.
    """

    model: str
    function: str
    node: str
    op: str
    device: str
    attrs: Mapping[str, AttrValue]
    inputs: tuple[str, ...] = ()

    def place(self) -> str:
        """Returns where the node is, for messages."""
        inside = f" in function {self.function}" if self.function else ""
        return f"node {self.node!r}{inside}"


class Nodes(Collection[NodeUse]):
    """Nodes that are read from the file's bytes whenever they are walked through.

    A node of a few bytes would take many times as many as a value that is kept.
    """

    @abstractmethod
    def __iter__(self) -> Iterator[NodeUse]:
        """Reads them, one after the other."""

    def __contains__(self, item: object) -> bool:
        """Says whether `item` is one of them, by reading them."""
        return any(item == use for use in self)


@dataclass(frozen=True, slots=True)
class RequestedOp:
    """An op asked for by name, in an ops list.

    Attributes:
      op: the op.
      clazz: the kernel class wanted; None: those for `types`; empty: no kernel at all.
      types: the data types wanted; empty: all.
    """

    op: str
    clazz: str | None = None
    types: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Model:
    """A model as read.

    Attributes:
      path: as the user gave it.
      digest: gives the SHA-256 of the file (of all that was read, where it is several); it may have to wait for it.
      format: graphdef, graphdef-text, saved_model, meta_graph, tflite-flex, ops-list.
      nodes: all nodes, those of the function library included, in the order of the file; read from the
        file whenever they are walked through, so that they take no memory.
      functions: the functions that the model brings along, each with the nodes whose values it returns.
      asks: ops asked for by name (ops lists only).
      signatures: of a SavedModel or MetaGraph, those that were taken, sorted.
      outputs: the nodes of the graph whose values are its outputs, where the file tells; else empty.
      training: what is asked for must be trainable too (ops lists only).
    """

    path: str
    digest: Callable[[], str]
    format: str
    nodes: Collection[NodeUse]
    functions: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    asks: tuple[RequestedOp, ...] = ()
    signatures: tuple[str, ...] = ()
    outputs: frozenset[str] = frozenset()
    training: bool = False
