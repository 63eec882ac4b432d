"""What each variable and table of a graph stands for."""

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

# What a table is where control flow hands it on: nobody reads it.
_NO_VALUE = np.array(0, np.int32)


def _check_fits(variable: NodeDef, value: Any, where: str) -> None:
    """Raises InvalidInput where a checkpoint's value is of another type or shape than its variable."""
    number = variable.attr["dtype"].type
    shape = tf.TensorShape(variable.attr["shape"].shape)
    if variable.op == "Variable" and shape.rank == 0:  # so this old op says that it is open
        shape = tf.TensorShape(None)
    own = tf.string if value.dtype == object else tf.as_dtype(value.dtype)
    if number != own.as_datatype_enum or not shape.is_compatible_with(value.shape):
        raise InvalidInput(
            f"{where}: the variable {variable.name!r} is {type_name(number)} {shape}, its value "
            f"{type_name(own.as_datatype_enum)} {tf.TensorShape(value.shape)}: the checkpoint is of another model"
        )


def _missing(request: Request, variable: str) -> InvalidInput:
    is_graph = request.kind in ("graphdef", "meta_graph")
    fix = "give --checkpoint" if is_graph else "the SavedModel has no variables/variables.index"
    return InvalidInput(
        f"{request.name}: the graph needs the variable {variable!r}, and there is no checkpoint: {fix}"
    )


def finder(sources: tables.Sources, renamed: Mapping[str, str], request: Request) -> Find:
    """Returns what gives the variable or table that a node stands for.

    Args:
      sources: the graph with its initialisers, its assets and its checkpoint.
      renamed: names of nodes in the source, where they are others.
      request: what is frozen.
    """
    places = checkpoints.places(sources.trace)

    def find(node: NodeDef) -> Handle:
        original = copied(node)
        original.name = renamed.get(node.name, node.name)
        name = original.name
        if node.op in tables.TABLES:
            return Handle(name, _NO_VALUE, tables.content(sources, node))
        checkpoint = sources.checkpoint
        if checkpoint is None:
            raise _missing(request, name)
        place = places.get(node.name) or checkpoints.guessed(original, checkpoint.keys)
        value = np.asarray(checkpoint.value(place, name))
        _check_fits(original, value, f"checkpoint {checkpoint.name}")
        return Handle(name, value)

    return find
