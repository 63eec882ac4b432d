"""The contents of a model: the value that all readers return."""

import itertools
from abc import abstractmethod
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from tfcarve.models.lite_interface import LiteInterface
from tfcarve.models.signature_def import Signature, node_of
from tfcarve.models.versions import Versions
from tfcarve.models.wire import Buffer
from tfcarve.op_definition import Argument, Attr


@dataclass(frozen=True, slots=True)
class AttrValue:
    """The value of a node's attribute, as far as ops and kernels depend on it.

    Attributes:
      kind: type, string, int, float, bool, func, shape, tensor, placeholder; list(…) of one of the first eight, or
        list() if it is empty; mixed: a list of several kinds; long: a list that is longer than any op needs; unset.
      value: a data type's name, string, integer, boolean, function's name; of a tensor its data type and dimensions; of
        a shape its dimensions (-1: unknown), or None: unknown rank; of a list a tuple of such values, with None for each
        shape and tensor; None for floats (nothing depends on them), mixed, long and unset.
    """

    kind: str
    value: Any


@dataclass(frozen=True, slots=True)
class NodeUse:
    """One node of a model.

    Attributes:
      model: the model's path as the user gave it.
      function: the function whose body contains the node; empty: the graph itself.
      node: the node's name.
      op: the op, or the function of the model that the node calls.
      device: the requested device; empty: any.
      attrs: attribute to value.
      inputs: its input tensors, as NodeDef.input has them; `^` precedes control inputs.
    """

    model: str
    function: str
    node: str
    op: str
    device: str
    attrs: Mapping[str, AttrValue]
    inputs: tuple[str, ...] = ()

    def place(self) -> str:
        """Returns the node's name and function, for messages."""
        inside = f" in function {self.function}" if self.function else ""
        return f"node {self.node!r}{inside}"


class Nodes(Collection[NodeUse]):
    """Nodes that are decoded from the file on each iteration.

    A node of a few bytes would take many times its size as a stored value.
    """

    @abstractmethod
    def __iter__(self) -> Iterator[NodeUse]:
        """Decodes the nodes, one after the other."""

    def __contains__(self, item: object) -> bool:
        """Returns whether `item` is one of the nodes; decodes them."""
        return any(item == use for use in self)


class Parts(Nodes):
    """The nodes of several graphs of one file. Nodes of different graphs may have the same name."""

    def __init__(self, parts: tuple[Collection[NodeUse], ...]) -> None:
        """Combines the nodes of each graph."""
        self.parts = parts

    def __len__(self) -> int:
        return sum(map(len, self.parts))

    def __iter__(self) -> Iterator[NodeUse]:
        return itertools.chain.from_iterable(self.parts)


@dataclass(frozen=True, slots=True)
class Function:
    """A function of a model.

    Attributes:
      inputs: its arguments.
      outputs: its outputs.
      attrs: the attributes of a function that is instantiated for each caller's attributes.
      returned: for each output the tensor of the body, `node:output:0`, or the argument that is returned.
    """

    inputs: tuple[Argument, ...] = ()
    outputs: tuple[Argument, ...] = ()
    attrs: Mapping[str, Attr] = field(default_factory=dict)
    returned: Mapping[str, str] = field(default_factory=dict)

    def returned_nodes(self) -> tuple[str, ...]:
        """Returns the nodes and arguments whose values the function returns."""
        return tuple(map(node_of, self.returned.values()))


@dataclass(frozen=True, slots=True)
class RequestedOp:
    """An op that an ops list requests by name.

    Attributes:
      op: the op.
      clazz: the requested kernel class; None: the classes for `types`; empty: no kernel.
      types: the requested data types; empty: all.
    """

    op: str
    clazz: str | None = None
    types: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Model:
    """A model that was read.

    Attributes:
      path: the path that the user gave.
      digest: returns the SHA-256 of the file that was read; it may wait for the hash.
      format: graphdef, saved_model, meta_graph (each also with -text), memmapped, tflite-flex, keras or ops-list.
      nodes: all nodes of the graphs and functions, in the order of the file; usually Nodes, which take no memory.
      functions: the functions in the model.
      requests: ops requested by name (ops lists only).
      signatures: the signatures of a SavedModel or MetaGraph that were read, sorted by name.
      graphs: the serialized GraphDefs that were read, each as a buffer, its start and its end; a SavedModel may have
        several, and a model that is not a graph has none. GraphDefs of a text have no values.
      objects: the serialized SavedObjectGraphs of the graphs that have one, in the form of `graphs`.
      versions: the versions of each of these graphs.
      outputs: the nodes that compute the graph's outputs; empty if the file does not state the outputs.
      training: the requested ops must be trainable (ops lists only).
      fed: nodes that the chosen signatures feed: `nodes` does not have all of their inputs.
      lite: the inputs and outputs of a TensorFlow Lite model; None for other models.
    """

    path: str
    digest: Callable[[], str]
    format: str
    nodes: Collection[NodeUse]
    functions: Mapping[str, Function] = field(default_factory=dict)
    requests: tuple[RequestedOp, ...] = ()
    signatures: Mapping[str, Signature] = field(default_factory=dict)
    graphs: tuple[tuple[Buffer, int, int], ...] = ()
    objects: tuple[tuple[Buffer, int, int], ...] = ()
    versions: tuple[Versions, ...] = ()
    outputs: frozenset[str] = frozenset()
    training: bool = False
    fed: frozenset[str] = frozenset()
    lite: LiteInterface | None = None

    def parts(self) -> tuple[Collection[NodeUse], ...]:
        """Returns for each graph of the file the nodes of the graph and of its functions."""
        return self.nodes.parts if isinstance(self.nodes, Parts) else (self.nodes,)
