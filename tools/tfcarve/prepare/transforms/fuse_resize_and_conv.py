"""fuse_resize_and_conv: fuses ResizeBilinear before a Conv2D into it.

Source: FuseResizeAndConv in tensorflow/tools/graph_transforms/fuse_convolutions.cc. Unlike TensorFlow's tool, it does
not fuse nodes that the fused op does not support: half_pixel_centers, other types, dilations, a batch larger than 1.
"""

import numpy as np

from tfcarve.prepare.context import Context
from tfcarve.prepare.control_flow.constants import Constants
from tfcarve.prepare.evaluate import inference
from tfcarve.prepare.evaluate.inference import Outputs
from tfcarve.prepare.graph import nodes
from tfcarve.prepare.graph.graph import Graph, Ref, control_inputs, data_inputs, unique_name
from tfcarve.prepare.graph.matching import Matcher, pattern
from tfcarve.prepare.graph.messages import AttrValue, NodeDef
from tfcarve.prepare.transforms.fuse_pad_and_conv import is_plain

PARAMETERS = frozenset[str]()
IN_FUNCTIONS = True
NEEDS_TENSORFLOW = True
CAN_BREAK_GRAPHS = False

_ANY = pattern("*")
_PATTERN = pattern("Conv2D", pattern("ResizeBilinear", _ANY, _ANY, key="resize"), _ANY)


def is_plain_resize(resize: NodeDef, conv: NodeDef, outputs: Outputs) -> bool:
    """Returns whether FusedResizeAndPadConv2D supports both nodes."""
    same_type = nodes.dtype(resize) == nodes.dtype(conv)
    is_old = not nodes.flag(resize, "half_pixel_centers", False)
    return same_type and is_old and is_plain(conv, data_inputs(resize)[0], outputs)


def fused(resize: NodeDef, pads: Ref, mode: str, conv: NodeDef) -> NodeDef:
    """Returns the fused node, with the name of the convolution."""
    created = nodes.make(
        "FusedResizeAndPadConv2D",
        conv.name,
        [*data_inputs(resize), pads, data_inputs(conv)[1]],
        resize_align_corners=AttrValue(b=nodes.flag(resize, "align_corners", False)),
        mode=nodes.text_value(mode),
    )
    created.device = conv.device
    nodes.copy_attrs(conv, created, ("T", "strides", "padding"))
    return created


def apply(graph: Graph, context: Context) -> Graph:
    """Fuses convolutions."""
    outputs = inference.outputs(graph, context.evaluator)
    matcher = Matcher(graph, context.preserved())
    taken = {node.name for node in graph.nodes}
    constants = Constants(graph.nodes)
    created: dict[str, list[NodeDef]] = {}
    removed: set[str] = set()
    for node in graph.nodes:
        match = matcher.match(_PATTERN, node) if not control_inputs(node) else None
        if match is None or not is_plain_resize(match["resize"], node, outputs):
            continue
        name = unique_name(f"{node.name}_dummy_paddings", taken)
        read = data_inputs(match["resize"])[0]
        pads = constants.beside(read, name, np.zeros((4, 2), np.int32))
        created[node.name] = [pads, fused(match["resize"], Ref(name), "REFLECT", node)]
        removed.add(match["resize"].name)
    return graph.with_nodes(
        n
        for node in graph.nodes
        if node.name not in removed
        for n in created.get(node.name, [node])
    )
