"""The inputs and outputs of a frozen graph and their names.

An input or output of a signature has its name in the signature. An input or output that the user passes has the name of its
node.
Parts of a sparse or composite tensor are `key/values`, `key/0`. tfcarve.models.node_names makes these names valid and unique;
other nodes with such a name are renamed.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from tfcarve.errors import InvalidInput
from tfcarve.models.node_names import frozen_names
from tfcarve.nearest import nearest
from tfcarve.prepare.freeze import tensor_names
from tfcarve.prepare.freeze.load import Loaded
from tfcarve.prepare.freeze.ops import Ops
from tfcarve.prepare.freeze.request import Options
from tfcarve.prepare.graph.messages import NodeDef, TensorShapeProto
from tfcarve.prepare.graph.saved_model_messages import SignatureDef

_INTERNAL = "__saved_model"


@dataclass(frozen=True, slots=True)
class Port:
    """An input or output.

    Attributes:
      name: its name in the frozen graph.
      given: its name in the signature, or the tensor that the user passed.
      tensor: the tensor in the source.
      dtype: the number of its type.
      shape: a TensorShapeProto.
    """

    name: str
    given: str
    tensor: str
    dtype: int
    shape: Any


@dataclass(frozen=True, slots=True)
class Interface:
    """All inputs and outputs.

    Attributes:
      inputs: None if neither the user nor a signature names any; then they are all Placeholders that outputs need.
      outputs: at least one.
    """

    inputs: tuple[Port, ...] | None
    outputs: tuple[Port, ...]


def _parts(key: str, info: Any) -> Iterator[tuple[str, Any]]:
    """Yields the names and tensors of a TensorInfo's dense parts."""
    kind = info.WhichOneof("value")
    if kind == "coo_sparse":
        for part in ("values", "indices", "dense_shape"):
            yield f"{key}/{part}", getattr(info.coo_sparse, f"{part}_tensor_name")
    elif kind == "composite_tensor":
        for number, component in enumerate(info.composite_tensor.components):
            yield f"{key}/{number}", component.name
    else:
        yield key, info.name


def shape_of(node: NodeDef, port: int = 0) -> TensorShapeProto:
    """Returns the shape that a node states for an output; unknown rank if it states none."""
    if node.op.startswith("Placeholder") and "shape" in node.attr:
        return node.attr["shape"].shape
    shapes = node.attr["_output_shapes"].list.shape if "_output_shapes" in node.attr else ()
    return shapes[port] if port < len(shapes) else TensorShapeProto(unknown_rank=True)


class _Reader:
    def __init__(self, loaded: Loaded, ops: Ops, name: str) -> None:
        self._nodes: Mapping[str, NodeDef] = {node.name: node for node in loaded.graph.node}
        self._signatures = loaded.signatures
        self._functions = loaded.functions
        self._ops = ops
        self._name = name

    def tensor(self, text: str, where: str, others: Iterable[str] = ()) -> tuple[str, int, Any]:
        """Returns a tensor of the graph as an input of a NodeDef, with its type and shape.

        Raises InvalidInput, with the nearest names of nodes and `others`, if it does not exist.
        """
        node, port = tensor_names.parsed(text)
        if node not in self._nodes:
            hint = nearest(node, {*self._nodes, *others})
            raise InvalidInput(
                f"{self._name}: {where}: the graph does not have a node {node!r}{hint}"
            )
        found = self._nodes[node]
        outputs = self._ops.outputs(found)
        if not 0 <= port < len(outputs):
            raise InvalidInput(
                f"{self._name}: {where}: the node {node!r} ({found.op}) has {len(outputs)} outputs, not output {port}"
            )
        # Readers of a reference variable see a value.
        dtype = outputs[port][1] % 100
        return tensor_names.reference(node, port), dtype, shape_of(found, port)

    def signature(self, key: str) -> Any:
        """Returns a signature; raises InvalidInput, with the available ones, if it does not exist."""
        if key not in self._signatures:
            available = [
                name for name in sorted(self._signatures) if not name.startswith(_INTERNAL)
            ]
            there = f"the model has {', '.join(available) or 'none'}"
            if self._functions:
                fix = f"pass {'one of them' if available else 'a function'} with --signature"
                functions = f"; its functions are:\n{self._functions}"
            else:
                fix = "pass one of them with --signature, or pass --outputs"
                fix, functions = fix if available else "pass --outputs", ""
            raise InvalidInput(
                f"{self._name}: there is no signature {key!r}: {there}: {fix}{functions}"
            )
        return self._signatures[key]

    def of_signature(self, side: Mapping[str, Any], key: str) -> Iterator[Port]:
        """Yields the inputs or outputs of the signature `key`, sorted by name."""
        for entry in sorted(side):
            for name, text in _parts(entry, side[entry]):
                tensor, dtype, shape = self.tensor(text, f"signature {key!r}: {entry!r}")
                info = side[entry]
                if info.WhichOneof("value") == "name" and info.HasField("tensor_shape"):
                    shape = info.tensor_shape
                yield Port(name, name, tensor, dtype, shape)

    def named(
        self, texts: Sequence[str], option: str, side: Mapping[str, Any], key: str
    ) -> Iterator[Port]:
        """Yields the tensors that the user names: tensors of the graph, or inputs or outputs of the signature `key`."""
        unknown = {text for text in texts if not self._has(text)}
        ports = {p.given: p for p in self.of_signature(side, key)} if unknown else {}
        for text in dict.fromkeys(texts):
            if text in unknown and text in ports:
                yield ports[text]
                continue
            tensor, dtype, shape = self.tensor(text, option, ports)
            node, port = tensor_names.parsed(tensor)
            yield Port(f"{node}_{port}" if port else node, tensor, tensor, dtype, shape)

    def _has(self, text: str) -> bool:
        return text in self._nodes or text.rpartition(":")[0] in self._nodes


def _with_unique_names(inputs: Sequence[Port] | None, outputs: Sequence[Port]) -> Interface:
    sides = inputs or (), outputs
    ins, outs = frozen_names(*([port.name for port in side] for side in sides))
    renamed = tuple(replace(port, name=name) for port, name in zip(sides[0], ins, strict=True))
    return Interface(
        None if inputs is None else renamed,
        tuple(replace(port, name=name) for port, name in zip(outputs, outs, strict=True)),
    )


def interface(loaded: Loaded, options: Options, ops: Ops, name: str) -> Interface:
    """Returns the inputs and outputs of the frozen graph.

    Args:
      loaded: the graph and its signatures.
      options: the user's options.
      ops: the OpDefs.
      name: the source's name, for messages.
    Raises InvalidInput if a signature, node or output does not exist.
    """
    reader = _Reader(loaded, ops, name)
    key = options.signature
    signature = None
    if not options.outputs or (not options.inputs and key in loaded.signatures):
        signature = reader.signature(key)
    known = signature or loaded.signatures.get(key) or SignatureDef()
    inputs: list[Port] | None = None
    if options.inputs:
        inputs = list(reader.named(options.inputs, "--inputs", known.inputs, key))
    elif signature is not None:
        inputs = list(reader.of_signature(signature.inputs, key))
    if options.outputs or signature is None:
        outputs = list(reader.named(options.outputs, "--outputs", known.outputs, key))
    else:
        outputs = list(reader.of_signature(signature.outputs, key))
    if not outputs:
        raise InvalidInput(f"{name}: the signature {key!r} has no outputs: pass --outputs")
    return _with_unique_names(inputs, outputs)
