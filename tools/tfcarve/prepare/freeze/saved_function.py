"""Builds the graph of a function of a SavedModel: a call of it, and the variables, tables and constants that it captures.

It has the form of the graph that TensorFlow saves for a signature: nodes restore the variables and initialize the tables.
Sources: tensorflow/core/protobuf/saved_object_graph.proto, tensorflow/python/saved_model/load.py (captures, resources),
tensorflow/python/ops/lookup_ops.py (keys of tables in a checkpoint).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from tfcarve.errors import InvalidInput
from tfcarve.models.node_names import Names, as_node_name
from tfcarve.models.object_graph import ObjectGraph, SavedObject
from tfcarve.models.saved_functions import Function
from tfcarve.prepare.freeze import tables
from tfcarve.prepare.freeze.nodes import constant, make, strings
from tfcarve.prepare.freeze.tensor_names import parsed, reference
from tfcarve.prepare.graph.messages import FunctionDef, GraphDef, NodeDef, TensorShapeProto
from tfcarve.prepare.graph.saved_model_messages import MetaGraphDef, SignatureDef

# The checkpoint keys of an object's attributes, by the object's number and the attribute's name.
Keys = Mapping[int, Mapping[str, str]]

# The most objects in a chain in which each object is created with the next one.
_MAX_DEPTH = 100
# The ops of captured nodes of the graph: constants, and paths of assets.
_CAPTURED = ("Const", "Placeholder")
_VALUE, _TABLE = "VARIABLE_VALUE", "table"


@dataclass(frozen=True, slots=True)
class Called:
    """A graph that calls a function, its signature, and the nodes that restore and initialize captured objects."""

    graph: GraphDef
    signature: SignatureDef
    preparing: tuple[str, ...]


class _Builder:
    def __init__(self, meta_graph: MetaGraphDef, objects: ObjectGraph, keys: Keys) -> None:
        self._meta_graph = meta_graph
        self._objects = objects
        self._keys = keys
        self._library = {f.signature.name: f for f in meta_graph.graph_def.library.function}
        self._originals = {node.name: node for node in meta_graph.graph_def.node}
        # Constants and assets keep their names.
        self._names = Names(n.name for n in self._originals.values() if n.op in _CAPTURED)
        self._kept: set[str] = set()
        self._tensors: dict[int, str] = {}
        self._entered: set[int] = set()
        self.nodes: list[NodeDef] = []
        self.preparing: list[str] = []

    def add(self, name: str, op: str, inputs: Sequence[str], types: Mapping[str, int]) -> NodeDef:
        """Adds a node, with another name if this one is used."""
        self.nodes.append(make(self._names.unique(as_node_name(name)), op, inputs, types))
        return self.nodes[-1]

    def function(self, name: str) -> FunctionDef:
        """Returns a function of the graph's library."""
        if name not in self._library:
            raise InvalidInput(f"the function {name!r} is missing: the SavedModel is damaged")
        return self._library[name]

    def call(self, name: str, inputs: Sequence[str], captures: Sequence[int]) -> NodeDef:
        """Adds a call of a concrete function."""
        signature = self.function(name).signature
        tensors = [*inputs, *map(self._tensor, captures)]
        if len(tensors) != len(signature.input_arg):
            raise InvalidInput(
                f"the function {name!r} has {len(signature.input_arg)} arguments, but its signature has {len(tensors)}: "
                "the SavedModel is damaged"
            )
        node = self.add("StatefulPartitionedCall", "StatefulPartitionedCall", tensors, {})
        node.attr["f"].func.name = name
        node.attr["Tin"].list.type.extend(arg.type for arg in signature.input_arg)
        node.attr["Tout"].list.type.extend(arg.type for arg in signature.output_arg)
        return node

    def _tensor(self, number: int) -> str:
        """Returns the tensor of an object that a function captures."""
        if number not in self._tensors:
            if number in self._entered or len(self._entered) - len(self._tensors) > _MAX_DEPTH:
                raise InvalidInput(
                    f"the object {number} captures itself, or is nested too deeply: the SavedModel is damaged"
                )
            self._entered.add(number)
            self._capture(number, self._objects.objects[number])
        return self._tensors[number]

    def _capture(self, number: int, found: SavedObject) -> None:
        if found.kind == "variable":
            self._variable(number, found)
        elif found.kind == "constant":
            self._tensors[number] = self._copied(self._objects.constant(found))
        elif found.kind == "asset":
            files, index = self._meta_graph.asset_file_def, self._objects.asset(found)
            if index >= len(files):
                raise InvalidInput(f"the asset {index} is missing: the SavedModel is damaged")
            self._tensors[number] = self._copied(files[index].tensor_info.name)
        elif found.kind == "resource":
            self._resource(number, found)
        else:
            what = found.kind.replace("_", " ") or "an object of unknown kind"
            raise InvalidInput(f"the function captures {what}, which freezing does not support")

    def _copied(self, tensor: str) -> str:
        name, port = parsed(tensor)
        node = self._originals.get(name)
        if node is None or node.op not in _CAPTURED or port:
            raise InvalidInput(
                f"the function captures {tensor!r}, which is missing: the SavedModel is damaged"
            )
        if name not in self._kept:
            self._kept.add(name)
            self.nodes.append(node)
        return name

    def _variable(self, number: int, found: SavedObject) -> None:
        variable = self._objects.variable(found)
        node = self.add(variable.name, "VarHandleOp", [], {"dtype": variable.dtype})
        node.attr["shape"].shape.CopyFrom(_proto(variable.shape))
        self._tensors[number] = node.name
        key = self._keys.get(number, {}).get(_VALUE)
        if key:
            value = self._from_checkpoint(key, variable.dtype)
            self._prepare("AssignVariableOp", [node.name, value], {"dtype": variable.dtype})

    def _resource(self, number: int, found: SavedObject) -> None:
        creator = self._method(found, "_create_resource")
        if creator is None:
            raise InvalidInput("the function captures a resource that has no code to create it")
        created = self._objects.concrete_function(creator)
        self._tensors[number] = self.call(creator, [], created.captures).name
        initializer = self._method(found, "_initialize")
        if initializer is not None:
            captures = self._objects.concrete_function(initializer).captures
            self.preparing.append(self.call(initializer, [], captures).name)
        key = self._keys.get(number, {}).get(_TABLE)
        table = next((n for n in self.function(creator).node_def if n.op in tables.TABLES), None)
        if key and table is not None:
            types = [table.attr[name].type for name in ("key_dtype", "value_dtype")]
            content = [
                self._from_checkpoint(f"{key}-{part}", dtype)
                for part, dtype in zip(("keys", "values"), types, strict=True)
            ]
            inputs = [self._tensors[number], *content]
            self._prepare("LookupTableImportV2", inputs, {"Tin": types[0], "Tout": types[1]})

    def _method(self, found: SavedObject, name: str) -> str | None:
        """Returns the only concrete function of an object's function, or None."""
        if name not in found.children:
            return None
        concretes = self._objects.concrete_functions(self._objects.objects[found.children[name]])
        return concretes[0] if concretes else None

    def _prepare(self, op: str, inputs: Sequence[str], types: Mapping[str, int]) -> None:
        self.preparing.append(self.add("restore", op, inputs, types).name)

    def _from_checkpoint(self, key: str, dtype: int) -> str:
        """Returns the tensor that will be the value of a key."""
        prefix, names, parts = (
            self._constant(name, value)
            for name, value in (("prefix", ""), ("names", [key]), ("parts", [""]))
        )
        node = self.add("restored", "RestoreV2", [prefix, names, parts], {})
        node.attr["dtypes"].list.type.append(dtype)
        return str(node.name)

    def _constant(self, name: str, value: str | list[str]) -> str:
        self.nodes.append(constant(self._names.unique(name), strings(value), ()))
        return str(self.nodes[-1].name)


def _proto(dims: tuple[int, ...] | None) -> TensorShapeProto:
    if dims is None:
        return TensorShapeProto(unknown_rank=True)
    shape = TensorShapeProto()
    for size in dims:
        shape.dim.add(size=size)
    return shape


def _shape(dims: tuple[int, ...] | None, function: FunctionDef, number: int) -> TensorShapeProto:
    """Returns the shape of an argument. `dims` is None for a part of a composite tensor."""
    shapes = function.arg_attr[number].attr["_output_shapes"].list.shape
    return shapes[0] if dims is None and shapes else _proto(dims)


def called(
    meta_graph: MetaGraphDef, function: Function, objects: ObjectGraph, keys: Keys
) -> Called:
    """Returns the graph of a function.

    Args:
      meta_graph: the MetaGraphDef of the SavedModel.
      function: the function.
      objects: the SavedModel's objects.
      keys: the keys of the checkpoint.

    Raises:
      InvalidInput: the function captures an object that cannot be frozen, or the SavedModel is damaged.
    """
    builder = _Builder(meta_graph, objects, keys)
    definition = builder.function(function.concrete)
    outputs = definition.signature.output_arg
    count = len(definition.signature.input_arg) - len(function.captures)
    if count != len(function.inputs) or len(outputs) != len(function.outputs):
        raise InvalidInput(
            f"the function {function.name!r} has {max(count, 0)} inputs and {len(outputs)} outputs, but its signature has "
            f"{len(function.inputs)} and {len(function.outputs)}: the SavedModel is damaged, or its release of TensorFlow did "
            "not save the structure of composite tensors"
        )
    signature = SignatureDef()
    fed = []
    for number, tensor in enumerate(function.inputs):
        dtype = definition.signature.input_arg[number].type
        node = builder.add(tensor.name, "Placeholder", [], {"dtype": dtype})
        node.attr["shape"].shape.CopyFrom(_shape(tensor.shape, definition, number))
        fed.append(node.name)
        info = signature.inputs[tensor.name]
        info.name, info.dtype = f"{node.name}:0", dtype
        info.tensor_shape.CopyFrom(node.attr["shape"].shape)
    call = builder.call(function.concrete, fed, function.captures)
    for number, (tensor, arg) in enumerate(zip(function.outputs, outputs, strict=True)):
        info = signature.outputs[tensor.name]
        info.name, info.dtype = reference(call.name, number), arg.type
        info.tensor_shape.CopyFrom(_proto(tensor.shape))
    graph_def = meta_graph.graph_def
    graph = GraphDef(node=builder.nodes, library=graph_def.library, versions=graph_def.versions)
    return Called(graph, signature, tuple(builder.preparing))
