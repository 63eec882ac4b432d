"""fold_old_batch_norms: a batch normalisation after a convolution goes into its weights and a bias.

Source: tensorflow/tools/graph_transforms/fold_old_batch_norms.cc, which knows BatchNormWithGlobalNormalization and
FusedBatchNorm after Conv2D. Here FusedBatchNormV2 and V3 too, after DepthwiseConv2dNative and Conv2DBackpropInput, with
a BiasAdd between; only such as are in inference mode.
"""

from tfcarve.prepare import batch_norms
from tfcarve.prepare.channels import BATCH_NORMS
from tfcarve.prepare.context import Context
from tfcarve.prepare.graph import Graph

PARAMETERS = frozenset[str]()
IN_FUNCTIONS = True


def apply(graph: Graph, context: Context) -> Graph:
    """Returns the graph with batch normalisations folded; raises InvalidInput where a constant is damaged."""
    return batch_norms.fold(graph, context.kept(), context.input_nodes(), BATCH_NORMS)
