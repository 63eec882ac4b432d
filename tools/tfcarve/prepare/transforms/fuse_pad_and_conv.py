"""fuse_pad_and_conv: fuses padding before a convolution into it.

Source: FusePadAndConv in tensorflow/tools/graph_transforms/fuse_convolutions.cc, which fuses MirrorPad and Conv2D into
FusedPadConv2D. Like fold_pads, this transform also folds Pad.

FusedPadConv2D and FusedResizeAndPadConv2D compute wrong values for a batch larger than 1 (measured), so they are used only if the batch size is known to be 1.
"""

from tfcarve.prepare.context import Context
from tfcarve.prepare.evaluate import inference
from tfcarve.prepare.evaluate.inference import Outputs, shape_of
from tfcarve.prepare.graph import nodes
from tfcarve.prepare.graph.graph import Graph, Ref, control_inputs, data_inputs
from tfcarve.prepare.graph.matching import Match, Matcher, pattern
from tfcarve.prepare.graph.messages import NodeDef
from tfcarve.prepare.transforms import fold_pads

PARAMETERS = frozenset[str]()
IN_FUNCTIONS = True
NEEDS_TENSORFLOW = True
CAN_BREAK_GRAPHS = False

_ANY = pattern("*")
_MIRRORED = pattern("Conv2D", pattern("MirrorPad", _ANY, _ANY, key="pad"), _ANY, key="conv")


def is_plain(conv: NodeDef, read: Ref, outputs: Outputs) -> bool:
    """Returns whether FusedPadConv2D and FusedResizeAndPadConv2D support a Conv2D of `read`."""
    shape = shape_of(read, outputs)
    if shape is None or len(shape) != 4 or shape[0] != 1:
        return False
    is_last = nodes.text(conv, "data_format", "NHWC") == "NHWC"
    has_size = nodes.text(conv, "padding") in ("SAME", "VALID")
    return is_last and has_size and set(nodes.ints(conv, "dilations")) <= {1}


def _mirrored(match: Match, outputs: Outputs) -> NodeDef | None:
    conv, pad = match["conv"], match["pad"]
    if not is_plain(conv, data_inputs(pad)[0], outputs):
        return None
    created = nodes.make("FusedPadConv2D", conv.name, [*data_inputs(pad), data_inputs(conv)[1]])
    created.device = conv.device
    nodes.copy_attrs(pad, created, ("mode",))
    nodes.copy_attrs(conv, created, ("T", "strides", "padding"))
    return created


def apply(graph: Graph, context: Context) -> Graph:
    """Fuses convolutions; raises InvalidInput if a constant is damaged."""
    graph = fold_pads.apply(graph, context)
    outputs = inference.outputs(graph, context.evaluator)
    matcher = Matcher(graph, context.preserved())
    created: dict[str, NodeDef] = {}
    removed: set[str] = set()
    for node in graph.nodes:
        match = matcher.match(_MIRRORED, node) if not control_inputs(node) else None
        fused = _mirrored(match, outputs) if match is not None else None
        if match is not None and fused is not None:
            created[node.name] = fused
            removed.add(match["pad"].name)
    return graph.with_nodes(created.get(n.name, n) for n in graph.nodes if n.name not in removed)
