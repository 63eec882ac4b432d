"""fold_batch_norms: a product with a constant after a convolution or matrix product goes into its weights.

Source: tensorflow/tools/graph_transforms/fold_batch_norms.cc. Differs from TensorFlow's tool: constants that are added (a bias
before, the rest of an unfused batch normalisation after) are folded too, and weights that others read stay for these.
"""

from tfcarve.prepare import batch_norms
from tfcarve.prepare.channels import PRODUCTS
from tfcarve.prepare.context import Context
from tfcarve.prepare.graph import Graph

PARAMETERS = frozenset[str]()
IN_FUNCTIONS = True


def apply(graph: Graph, context: Context) -> Graph:
    """Returns the graph with products folded; raises InvalidInput where a constant is damaged."""
    return batch_norms.fold(graph, context.kept(), context.input_nodes(), PRODUCTS)
