"""What goes into a frozen graph and what comes out, under which names.

The rule for names: an input or output that a signature has is called as in the signature; one that the user
names keeps the name of its node. Characters that no node's name can have become `_`; parts of a sparse or
composite tensor are `key/values`, `key/0`. Where an output has the name of an input, `_output` is added to it.
A node of the graph that has such a name gets another one.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from tensorflow.core.framework import tensor_shape_pb2

from tfcarve.errors import InvalidInput
from tfcarve.prepare.freeze import tensor_names
from tfcarve.prepare.freeze.load import Loaded
from tfcarve.prepare.freeze.ops import NodeDef, Ops
from tfcarve.prepare.freeze.request import Options
from tfcarve.prepare.freeze.tensor_names import Names, as_node_name, nearest

_INTERNAL = "__saved_model"


@dataclass(frozen=True, slots=True)
class Port:
    """An input or output: its name in the frozen graph, the tensor in the source, its type and shape."""

    name: str
    tensor: str
    dtype: int
    shape: Any


@dataclass(frozen=True, slots=True)
class Interface:
    """All inputs and outputs.

    Attributes:
      inputs: None where neither the user nor a signature names any: all Placeholders that the outputs need are some.
      outputs: at least one.
    """

    inputs: tuple[Port, ...] | None
    outputs: tuple[Port, ...]


def _parts(key: str, info: Any) -> Iterator[tuple[str, Any]]:
    """Yields the dense tensors of a TensorInfo with their names."""
    kind = info.WhichOneof("encoding")
    if kind == "coo_sparse":
        for part in ("values", "indices", "dense_shape"):
            yield f"{key}/{part}", getattr(info.coo_sparse, f"{part}_tensor_name")
    elif kind == "composite_tensor":
        for number, component in enumerate(info.composite_tensor.components):
            yield f"{key}/{number}", component.name
    else:
        yield key, info.name


class _Reader:
    def __init__(self, loaded: Loaded, ops: Ops, name: str) -> None:
        self._nodes: Mapping[str, NodeDef] = {node.name: node for node in loaded.graph.node}
        self._signatures = loaded.signatures
        self._ops = ops
        self._name = name

    def tensor(self, text: str, where: str) -> tuple[str, int, Any]:
        """Returns a tensor of the graph as a NodeDef's input, with its type and shape."""
        node, port = tensor_names.parsed(text)
        if node not in self._nodes:
            hint = nearest(node, self._nodes)
            raise InvalidInput(f"{self._name}: {where}: the graph has no node {node!r}{hint}")
        found = self._nodes[node]
        outputs = self._ops.outputs(found)
        if not 0 <= port < len(outputs):
            raise InvalidInput(
                f"{self._name}: {where}: the node {node!r} ({found.op}) has {len(outputs)} outputs, none is {port}"
            )
        # A variable by reference is a value to whom reads it.
        dtype = outputs[port][1] % 100
        return tensor_names.reference(node, port), dtype, self._shape(found, port)

    def _shape(self, node: NodeDef, port: int) -> Any:
        if node.op in ("Placeholder", "PlaceholderWithDefault") and "shape" in node.attr:
            return node.attr["shape"].shape
        shapes = node.attr["_output_shapes"].list.shape if "_output_shapes" in node.attr else ()
        if port < len(shapes):
            return shapes[port]
        return tensor_shape_pb2.TensorShapeProto(unknown_rank=True)

    def signature(self, key: str) -> Any:
        """Returns a signature; raises InvalidInput, with those there are, where it is not there."""
        if key not in self._signatures:
            there = [name for name in sorted(self._signatures) if not name.startswith(_INTERNAL)]
            raise InvalidInput(
                f"{self._name}: no signature {key!r}: "
                + (
                    f"it has {', '.join(there)}: give one of them by --signature, or --outputs"
                    if there
                    else "it has none: give --outputs"
                )
            )
        return self._signatures[key]

    def of_signature(self, side: Mapping[str, Any], key: str) -> Iterator[Port]:
        """Yields the inputs or outputs of the signature `key`, sorted by name."""
        for entry in sorted(side):
            for name, text in _parts(entry, side[entry]):
                tensor, dtype, shape = self.tensor(text, f"signature {key!r}: {entry!r}")
                given = side[entry]
                if given.WhichOneof("encoding") == "name" and given.HasField("tensor_shape"):
                    shape = given.tensor_shape
                yield Port(as_node_name(name), tensor, dtype, shape)

    def named(self, texts: Sequence[str], option: str) -> Iterator[Port]:
        """Yields the tensors that the user names."""
        for text in dict.fromkeys(texts):
            tensor, dtype, shape = self.tensor(text, option)
            node, port = tensor_names.parsed(tensor)
            yield Port(f"{node}_{port}" if port else node, tensor, dtype, shape)


def _with_unique_names(inputs: Sequence[Port] | None, outputs: Sequence[Port]) -> Interface:
    names = Names(())
    ins = [replace(port, name=names.unique(port.name)) for port in inputs or ()]
    outs = []
    for port in outputs:
        wanted = f"{port.name}_output" if port.name in names else port.name
        outs.append(replace(port, name=names.unique(wanted)))
    return Interface(None if inputs is None else tuple(ins), tuple(outs))


def interface(loaded: Loaded, options: Options, ops: Ops, name: str) -> Interface:
    """Returns what goes in and what comes out.

    Args:
      loaded: the graph and its signatures.
      options: the user's.
      ops: definitions of ops.
      name: of the source, for messages.
    Raises InvalidInput where a signature, node or output is not there.
    """
    reader = _Reader(loaded, ops, name)
    key = options.signature
    signature = None
    if not options.outputs or (not options.inputs and key in loaded.signatures):
        signature = reader.signature(key)
    inputs: list[Port] | None = None
    if options.inputs:
        inputs = list(reader.named(options.inputs, "--inputs"))
    elif signature is not None:
        inputs = list(reader.of_signature(signature.inputs, key))
    if options.outputs or signature is None:
        outputs = list(reader.named(options.outputs, "--outputs"))
    else:
        outputs = list(reader.of_signature(signature.outputs, key))
    if not outputs:
        raise InvalidInput(f"{name}: the signature {key!r} has no outputs: give --outputs")
    return _with_unique_names(inputs, outputs)
