"""fold_old_batch_norms: folds a batch normalisation op after a convolution into its weights and a bias.

Source: tensorflow/tools/graph_transforms/fold_old_batch_norms.cc, which supports BatchNormWithGlobalNormalization and
FusedBatchNorm after Conv2D. This transform also supports FusedBatchNormV2 and V3, DepthwiseConv2dNative,
Conv2DBackpropInput, and a BiasAdd in between. Batch normalisations in training mode are not folded.
"""

from tfcarve.prepare import batch_norms
from tfcarve.prepare.channels import BATCH_NORMS
from tfcarve.prepare.context import Context
from tfcarve.prepare.graph import Graph

PARAMETERS = frozenset[str]()
IN_FUNCTIONS = True


def apply(graph: Graph, context: Context) -> Graph:
    """Folds batch normalisations; raises InvalidInput if a constant is damaged."""
    return batch_norms.fold(graph, context.preserved(), context.input_nodes(), BATCH_NORMS)
