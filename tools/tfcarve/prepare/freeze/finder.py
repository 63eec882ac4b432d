"""Finds the values of the variables and tables of a graph."""

from collections.abc import Iterable, Iterator, Mapping, Sequence

import numpy as np

from tfcarve.errors import InvalidInput
from tfcarve.models.signature_def import shape_text
from tfcarve.prepare.freeze import checkpoint as checkpoints
from tfcarve.prepare.freeze import tables
from tfcarve.prepare.freeze.bodies import copied
from tfcarve.prepare.freeze.checkpoint import Checkpoint, Location
from tfcarve.prepare.freeze.handles import Handle
from tfcarve.prepare.freeze.inline import Program
from tfcarve.prepare.freeze.ops import CONTROL_FLOW, functions_of, type_name
from tfcarve.prepare.freeze.request import Request
from tfcarve.prepare.freeze.stores import VARIABLES
from tfcarve.prepare.graph import tensors
from tfcarve.prepare.graph.messages import NodeDef, TensorProto
from tfcarve.prepare.inputs import constant_values

# The value of a table that control flow passes on; nothing reads it.
_NO_VALUE = tensors.from_array(np.array(0, np.int32))


def _fits(found: Sequence[int], wanted: Sequence[int] | None) -> bool:
    """Returns whether a shape fits a variable's shape, with -1 for an unknown dimension and None for an unknown rank."""
    return wanted is None or (
        len(found) == len(wanted)
        and all(own in (-1, size) for size, own in zip(found, wanted, strict=True))
    )


def _check_fits(variable: NodeDef, value: TensorProto, where: str) -> None:
    """Raises InvalidInput if a checkpoint's value has another type or shape than its variable."""
    number = variable.attr["dtype"].type
    shape = constant_values.dims_of(variable)
    if variable.op == "Variable" and not shape:  # in this old op, the unknown shape
        shape = None
    found = tensors.shape(value, variable.name)
    if number != value.dtype or not _fits(found, shape):
        raise InvalidInput(
            f"{where}: the variable {variable.name!r} is {type_name(number)} {shape_text(shape)}, but its value is "
            f"{type_name(value.dtype)} {shape_text(found)}: the checkpoint belongs to another model"
        )


def _missing(request: Request, variable: str) -> InvalidInput:
    is_graph = request.kind in ("graphdef", "meta_graph")
    fix = "pass --checkpoint" if is_graph else "the SavedModel lacks variables/variables.index"
    return InvalidInput(
        f"{request.name}: the graph needs the variable {variable!r}, but there is no checkpoint: {fix}"
    )


def variables(program: Program) -> Iterator[NodeDef]:
    """Yields the nodes of a program that create a variable."""
    todo = [program.main]
    while todo:
        for node in todo.pop().nodes:
            if node.op in VARIABLES:
                yield node
            if node.op in CONTROL_FLOW:
                todo += [program.functions[function.name] for function in functions_of(node)]


class Finder:
    """Finds the variable or table that a node creates.

    Args:
      sources: the graph with its initializers, assets and checkpoint.
      renamed: the old names of renamed nodes, by new name.
      request: the model to freeze.
    """

    def __init__(
        self, sources: tables.Sources, renamed: Mapping[str, str], request: Request
    ) -> None:
        self._sources = sources
        self._renamed = renamed
        self._request = request
        self._locations = checkpoints.locations(sources.trace)

    def require(self, nodes: Iterable[NodeDef]) -> None:
        """Raises InvalidInput, with all that are missing, if the checkpoint does not have the variables of `nodes`."""
        checkpoint = self._sources.checkpoint
        if checkpoint is not None:
            checkpoint.require(
                {self._original(node).name: self._location(node, checkpoint) for node in nodes}
            )

    def __call__(self, node: NodeDef) -> Handle:
        """Returns the variable or table that a node creates; raises InvalidInput if its value is unknown or does not fit."""
        original = self._original(node)
        name = original.name
        if node.op in tables.TABLES:
            return Handle(name, _NO_VALUE, tables.content(self._sources, node))
        checkpoint = self._sources.checkpoint
        if checkpoint is None:
            raise _missing(self._request, name)
        value = checkpoint.value(self._location(node, checkpoint), name)
        _check_fits(original, value, f"checkpoint {checkpoint.name}")
        return Handle(name, value)

    def _original(self, node: NodeDef) -> NodeDef:
        original = copied(node)
        original.name = self._renamed.get(node.name, node.name)
        return original

    def _location(self, node: NodeDef, checkpoint: Checkpoint) -> Location:
        return self._locations.get(node.name) or checkpoint.location(self._original(node))
