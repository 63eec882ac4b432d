"""fold_pads: folds a Pad with zeros, as Keras writes it, into the explicit padding of the convolution that reads it.

Source: the attributes padding and explicit_paddings of Conv2D and _FusedConv2D in tensorflow/core/ops/nn_ops.cc.
DepthwiseConv2dNative has them too, but the remapper of full TensorFlow with oneDNN aborts on them
(tensor_format.h:428, measured). Its Pad is folded if fuse_ops has replaced it with a _FusedConv2D before.
"""

from tfcarve.prepare.context import Context
from tfcarve.prepare.control_flow.liveness import Liveness
from tfcarve.prepare.graph import nodes
from tfcarve.prepare.graph.graph import Graph, control_inputs, data_inputs, topological_order
from tfcarve.prepare.graph.matching import Match, Matcher, pattern
from tfcarve.prepare.graph.messages import NodeDef

PARAMETERS = frozenset[str]()
IN_FUNCTIONS = True
NEEDS_TENSORFLOW = False
CAN_BREAK_GRAPHS = False

_CONVOLUTIONS = frozenset(("Conv2D", "_FusedConv2D"))
_PAD = pattern("Pad", pattern("*"), pattern("Const", key="pads"), key="pad")


def _padding_of(
    conv: NodeDef, context: Context, matcher: Matcher, liveness: Liveness
) -> Match | None:
    """Returns the Pad that only this convolution reads, and its sizes, or None."""
    sources = data_inputs(conv)
    if conv.op not in _CONVOLUTIONS or control_inputs(conv) or len(sources) < 2:
        return None
    pad = matcher.node(sources[0].node)
    if pad is None or matcher.only_user(pad.name) != conv:
        return None
    match = matcher.match(_PAD, pad)
    if match is None or match["pads"].name in context.input_nodes():
        return None
    read, pads = data_inputs(pad)
    return match if liveness.is_implied(pads, [read, *sources[1:]]) else None


def _explicit(conv: NodeDef, match: Match) -> NodeDef | None:
    pads = nodes.value(match["pads"])
    spatial = (1, 2) if nodes.text(conv, "data_format", "NHWC") == "NHWC" else (2, 3)
    others = [index for index in range(4) if index not in spatial]
    if pads.shape != (4, 2) or pads[others].any() or (pads < 0).any():
        return None
    if nodes.text(conv, "padding") != "VALID":
        return None
    created = nodes.copy(conv)
    created.input[0] = data_inputs(match["pad"])[0].text()
    nodes.set_attr(created, "padding", nodes.text_value("EXPLICIT"))
    nodes.set_attr(created, "explicit_paddings", nodes.ints_value(pads.reshape(-1)))
    return created


def apply(graph: Graph, context: Context) -> Graph:
    """Folds pads; raises InvalidInput if a constant is damaged."""
    matcher = Matcher(graph, context.preserved())
    liveness = Liveness(topological_order(graph))
    created: dict[str, NodeDef] = {}
    removed: set[str] = set()
    for node in graph.nodes:
        match = _padding_of(node, context, matcher, liveness)
        padded = _explicit(node, match) if match is not None else None
        if match is not None and padded is not None:
            created[node.name] = padded
            removed.add(match["pad"].name)
            if matcher.only_user(match["pads"].name) is not None:
                removed.add(match["pads"].name)
    return graph.with_nodes(created.get(n.name, n) for n in graph.nodes if n.name not in removed)
