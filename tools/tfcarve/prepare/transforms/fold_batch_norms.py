"""fold_batch_norms: folds a multiplication by a constant after a convolution or matrix product into its weights.

Source: tensorflow/tools/graph_transforms/fold_batch_norms.cc. Unlike TensorFlow's tool, it also folds constants that
are added (a bias before, the rest of an unfused batch normalization after), and keeps weights with other readers.
"""

from tfcarve.prepare.context import Context
from tfcarve.prepare.fold import batch_norms
from tfcarve.prepare.fold.channels import PRODUCTS
from tfcarve.prepare.graph.graph import Graph

PARAMETERS = frozenset[str]()
IN_FUNCTIONS = True
NEEDS_TENSORFLOW = False
CAN_BREAK_GRAPHS = False


def apply(graph: Graph, context: Context) -> Graph:
    """Folds multiplications; raises InvalidInput if a constant is damaged."""
    return batch_norms.fold(graph, context.preserved(), context.input_nodes(), PRODUCTS)
