"""Finds the values of the variables and tables of a graph."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import tensorflow as tf

from tfcarve.errors import InvalidInput
from tfcarve.prepare.freeze import checkpoint as checkpoints
from tfcarve.prepare.freeze import tables
from tfcarve.prepare.freeze.bodies import copied
from tfcarve.prepare.freeze.convert import Find
from tfcarve.prepare.freeze.handles import Handle
from tfcarve.prepare.freeze.ops import NodeDef, type_name
from tfcarve.prepare.freeze.request import Request

# The value of a table that control flow passes on; nothing reads it.
_NO_VALUE = np.array(0, np.int32)


def _check_fits(variable: NodeDef, value: Any, where: str) -> None:
    """Raises InvalidInput if a checkpoint's value has another type or shape than its variable."""
    number = variable.attr["dtype"].type
    shape = tf.TensorShape(variable.attr["shape"].shape)
    if variable.op == "Variable" and shape.rank == 0:  # this old op's way to say unknown
        shape = tf.TensorShape(None)
    own = tf.string if value.dtype == object else tf.as_dtype(value.dtype)
    if number != own.as_datatype_enum or not shape.is_compatible_with(value.shape):
        raise InvalidInput(
            f"{where}: the variable {variable.name!r} is {type_name(number)} {shape}, but its value is "
            f"{type_name(own.as_datatype_enum)} {tf.TensorShape(value.shape)}: the checkpoint belongs to another model"
        )


def _missing(request: Request, variable: str) -> InvalidInput:
    is_graph = request.kind in ("graphdef", "meta_graph")
    fix = "pass --checkpoint" if is_graph else "the SavedModel lacks variables/variables.index"
    return InvalidInput(
        f"{request.name}: the graph needs the variable {variable!r}, but there is no checkpoint: {fix}"
    )


def finder(sources: tables.Sources, renamed: Mapping[str, str], request: Request) -> Find:
    """Returns a function that finds the variable or table that a node creates.

    Args:
      sources: the graph with its initializers, assets and checkpoint.
      renamed: the old names of renamed nodes, by new name.
      request: the model to freeze.
    """
    locations = checkpoints.locations(sources.trace)

    def find(node: NodeDef) -> Handle:
        original = copied(node)
        original.name = renamed.get(node.name, node.name)
        name = original.name
        if node.op in tables.TABLES:
            return Handle(name, _NO_VALUE, tables.content(sources, node))
        checkpoint = sources.checkpoint
        if checkpoint is None:
            raise _missing(request, name)
        location = locations.get(node.name) or checkpoints.location_by_name(
            original, checkpoint.keys
        )
        value = np.asarray(checkpoint.value(location, name))
        _check_fits(original, value, f"checkpoint {checkpoint.name}")
        return Handle(name, value)

    return find
