"""fuse_resize_pad_and_conv: fuses ResizeBilinear and MirrorPad before a Conv2D into it.

Source: FuseResizePadAndConv in tensorflow/tools/graph_transforms/fuse_convolutions.cc. Unlike TensorFlow's tool, it
does not fuse nodes that the fused op does not support: half_pixel_centers, other types, dilations, a batch larger than 1.
"""

from tfcarve.prepare.context import Context
from tfcarve.prepare.evaluate import inference
from tfcarve.prepare.graph import nodes
from tfcarve.prepare.graph.graph import Graph, control_inputs, data_inputs
from tfcarve.prepare.graph.matching import Matcher, pattern
from tfcarve.prepare.graph.messages import NodeDef
from tfcarve.prepare.transforms.fuse_resize_and_conv import fused, is_plain_resize

PARAMETERS = frozenset[str]()
IN_FUNCTIONS = True
NEEDS_TENSORFLOW = True
CAN_BREAK_GRAPHS = False

_ANY = pattern("*")
_PATTERN = pattern(
    "Conv2D",
    pattern("MirrorPad", pattern("ResizeBilinear", _ANY, _ANY, key="resize"), _ANY, key="pad"),
    _ANY,
)


def apply(graph: Graph, context: Context) -> Graph:
    """Fuses convolutions."""
    outputs = inference.outputs(graph, context.evaluator)
    matcher = Matcher(graph, context.preserved())
    created: dict[str, NodeDef] = {}
    removed: set[str] = set()
    for node in graph.nodes:
        match = matcher.match(_PATTERN, node) if not control_inputs(node) else None
        if match is None or not is_plain_resize(match["resize"], node, outputs):
            continue
        pad = match["pad"]
        mode = nodes.text(pad, "mode")
        created[node.name] = fused(match["resize"], data_inputs(pad)[1], mode, node)
        removed |= {pad.name, match["resize"].name}
    return graph.with_nodes(created.get(n.name, n) for n in graph.nodes if n.name not in removed)
