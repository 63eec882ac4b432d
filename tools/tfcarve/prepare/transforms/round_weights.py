"""round_weights: rounds large float constants to a few distinct values, so that the file compresses well.

Source: tensorflow/tools/graph_transforms/round_weights.cc. Unlike TensorFlow's tool, it uses the actual range of a
tensor with only negative values, and does not change a tensor with one repeated value or a value that is not finite.
"""

import numpy as np

from tfcarve.errors import InvalidInput
from tfcarve.prepare.context import Context
from tfcarve.prepare.graph import nodes
from tfcarve.prepare.graph.graph import Graph
from tfcarve.prepare.graph.messages import NodeDef
from tfcarve.prepare.graph.tensors import Array, from_array

PARAMETERS = frozenset(("num_steps",))
IN_FUNCTIONS = True
NEEDS_TENSORFLOW = False
CAN_BREAK_GRAPHS = False

# Smaller constants are not rounded.
_MIN_SIZE = 16


def rounded(array: Array, steps: int) -> Array:
    """Divides the range of the floats into `steps` steps and rounds each float to the middle of its step."""
    low, high = array.min(), array.max()
    with np.errstate(all="ignore"):
        width = np.float32((high - low) / np.float32(steps))
    if not np.isfinite(width) or width == 0:
        return array
    step = np.floor((array - low) / width) + np.float32(0.5)
    return np.asarray(low + width * step, np.float32)


def _is_large(node: NodeDef) -> bool:
    return (
        node.op == "Const"
        and nodes.tensor(node).dtype == nodes.FLOAT
        and nodes.value(node).size >= _MIN_SIZE
    )


def apply(graph: Graph, context: Context) -> Graph:
    """Rounds constants; raises InvalidInput if one is damaged."""
    steps = context.parameters.integer("num_steps", 256)
    if not 1 <= steps <= 1 << 24:
        raise InvalidInput(f"round_weights: num_steps={steps}: expected an integer from 1 to 2^24")
    fed = context.input_nodes()
    for node in graph.nodes:
        if node.name not in fed and _is_large(node):
            created = from_array(rounded(nodes.value(node), steps))
            node.attr["value"].tensor.CopyFrom(created)
    return graph
