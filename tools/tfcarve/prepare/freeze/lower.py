"""Lowers While, If and Case to Switch, Merge, Enter and Exit with TensorFlow's own pass.

Source: tensorflow/core/grappler/optimizers/function_optimizer.cc, which lowers nodes with the attribute _LOWER.
"""

from collections.abc import Iterable
from typing import Any

import tensorflow as tf
from tensorflow.core.framework import graph_pb2
from tensorflow.core.protobuf import config_pb2, meta_graph_pb2
from tensorflow.python.grappler import tf_optimizer

from tfcarve.errors import InvalidInput
from tfcarve.prepare.freeze.ops import CONTROL_FLOW
from tfcarve.prepare.freeze.prune import needed
from tfcarve.prepare.freeze.reason import reason

_LOWER = "_lower_using_switch_merge"
_ALL = ("", "StatefulPartitionedCall", "PartitionedCall")


def lowered(graph: Any, inputs: Iterable[str], outputs: Iterable[str]) -> Any:
    """Returns `graph` without functional control flow and without functions.

    Args:
      graph: a GraphDef; it is modified.
      inputs: names of Placeholders, which stay.
      outputs: names of the output nodes.
    Raises InvalidInput if TensorFlow cannot lower the control flow.
    """
    bodies = [graph.node, *(function.node_def for function in graph.library.function)]
    for nodes in bodies:
        for node in nodes:
            if node.op in CONTROL_FLOW:
                node.attr[_LOWER].b = True
    roots = [*outputs, *inputs]
    meta_graph = meta_graph_pb2.MetaGraphDef(graph_def=graph)
    # Grappler takes the graph's outputs from this collection.
    meta_graph.collection_def["train_op"].node_list.value.extend(roots)
    config = config_pb2.ConfigProto()
    rewriting = config.graph_options.rewrite_options
    rewriting.optimizers.append("function")
    rewriting.min_graph_nodes = -1
    try:
        created = tf_optimizer.OptimizeGraph(config, meta_graph)
    except (tf.errors.OpError, ValueError) as error:
        raise InvalidInput(f"control flow cannot be lowered: {reason(error)}") from None
    names = needed(created.node, roots)
    result = graph_pb2.GraphDef(versions=graph.versions)
    result.node.extend(node for node in created.node if node.name in names)
    functions = {function.signature.name for function in created.library.function}
    for node in result.node:
        node.device = ""
        for key in [key for key in node.attr if key.startswith("_")]:
            del node.attr[key]
        if node.op in CONTROL_FLOW or node.op in functions or node.op in _ALL:
            raise InvalidInput(
                f"node {node.name!r}: {node.op} cannot be lowered: remove --lower-control-flow"
            )
    return result
