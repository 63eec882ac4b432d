"""Sets the variables and tables of an imported GraphDef to the values that a checkpoint has."""

from collections.abc import Iterable
from typing import Any

import tensorflow as tf

from tfcarve.prepare.freeze import checkpoint as checkpoints
from tfcarve.prepare.freeze import tables
from tfcarve.prepare.freeze.finder import Finder
from tfcarve.prepare.freeze.load import Loaded
from tfcarve.prepare.freeze.ops import NodeDef, Ops
from tfcarve.prepare.freeze.prune import needed
from tfcarve.prepare.freeze.request import Request
from tfcarve.prepare.freeze.stores import VARIABLES
from tfcarve.prepare.freeze.tensor_names import parsed
from tfcarve.prepare.freeze.trace import Trace

_v1 = tf.compat.v1


def restore(session: Any, loaded: Loaded, model: Request, outputs: Iterable[str]) -> None:
    """Assigns the variables, and initializes the tables, that `outputs` need.

    Args:
      session: a session with the imported graph.
      loaded: the graph.
      model: its path and options, with the checkpoint.
      outputs: tensors.

    Raises InvalidInput if the checkpoint lacks a variable or is damaged.
    """
    graph_nodes = list(loaded.graph.node)
    used = needed(graph_nodes, [parsed(tensor)[0] for tensor in outputs])
    nodes = [node for node in graph_nodes if node.name in used]
    options = model.options
    checkpoint = None
    if options.checkpoint:
        checkpoint = checkpoints.Checkpoint(
            options.checkpoint, options.checkpoint, options.moving_averages
        )
    trace = Trace(graph_nodes, Ops(loaded.graph.library.function))
    find = Finder(tables.Sources(trace, loaded.assets, checkpoint), {}, model)
    variables = [node for node in nodes if node.op in VARIABLES]
    find.require(variables)
    for node in variables:
        _assign(session, node, find(node).value)
    created = {node.name for node in nodes if node.op in tables.TABLES}
    for node in graph_nodes:
        if node.op in tables.INITIALIZERS:
            table, _ = trace.origin(node.input[0])
            if table is not None and table.name in created:
                session.run(node.name, _prefixes(trace, node, options.checkpoint))


def _assign(session: Any, node: NodeDef, value: Any) -> None:
    with session.graph.as_default():
        variable = session.graph.get_tensor_by_name(f"{node.name}:0")
        fed = _v1.placeholder(tf.as_dtype(node.attr["dtype"].type))
        if node.op == "VarHandleOp":
            operation = tf.raw_ops.AssignVariableOp(resource=variable, value=fed)
        else:
            operation = tf.raw_ops.Assign(ref=variable, value=fed, validate_shape=False).op
    session.run(operation, {fed: value})


def _prefixes(trace: Trace, initializer: NodeDef, prefix: str) -> dict[str, str]:
    """Returns the feed with the checkpoint's prefix for an initializer that restores its table."""
    keys, _ = trace.origin(initializer.input[1])
    if keys is None or keys.op != "RestoreV2":
        return {}
    node, port = parsed(keys.input[0])
    return {f"{node}:{port}": prefix}
