"""fold_old_batch_norms: folds a batch normalization op after a convolution into its weights and a bias.

Source: tensorflow/tools/graph_transforms/fold_old_batch_norms.cc, which supports BatchNormWithGlobalNormalization and
FusedBatchNorm after Conv2D. This transform also supports FusedBatchNormV2 and V3, DepthwiseConv2dNative,
Conv2DBackpropInput, and a BiasAdd in between. Batch normalizations in training mode are not folded.
"""

from tfcarve.prepare.context import Context
from tfcarve.prepare.fold import batch_norms
from tfcarve.prepare.fold.channels import BATCH_NORMS
from tfcarve.prepare.graph.graph import Graph

PARAMETERS = frozenset[str]()
IN_FUNCTIONS = True
NEEDS_TENSORFLOW = False
CAN_BREAK_GRAPHS = False


def apply(graph: Graph, context: Context) -> Graph:
    """Folds batch normalizations; raises InvalidInput if a constant is damaged."""
    return batch_norms.fold(graph, context.preserved(), context.input_nodes(), BATCH_NORMS)
