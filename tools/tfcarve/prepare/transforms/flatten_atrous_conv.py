"""flatten_atrous_conv: merges SpaceToBatchND, a convolution and BatchToSpaceND into a convolution with a wider filter.

Source: tensorflow/tools/graph_transforms/flatten_atrous.cc. Unlike TensorFlow's tool, it computes the padding of the
new convolution from all three nodes, and changes nothing if the padding is neither SAME nor VALID.
"""

import math

import numpy as np

from tfcarve.prepare.context import Context
from tfcarve.prepare.control_flow.constants import instead_of
from tfcarve.prepare.graph import nodes
from tfcarve.prepare.graph.graph import Graph, Ref, control_inputs, data_inputs, unique_name
from tfcarve.prepare.graph.matching import Match, Matcher, pattern
from tfcarve.prepare.graph.messages import NodeDef
from tfcarve.prepare.graph.tensors import Array

PARAMETERS = frozenset[str]()
IN_FUNCTIONS = True
NEEDS_TENSORFLOW = False
CAN_BREAK_GRAPHS = False

_CONST = "Const"
_TO_BATCH = pattern(
    "SpaceToBatchND",
    pattern("*"),
    pattern(_CONST, key="block"),
    pattern(_CONST, key="pads"),
    key="to_batch",
)
_PATTERN = pattern(
    "BatchToSpaceND",
    pattern(
        ("Conv2D", "DepthwiseConv2dNative"), _TO_BATCH, pattern(_CONST, key="filter"), key="conv"
    ),
    pattern(_CONST, key="block_after"),
    pattern(_CONST, key="crops"),
)


def _padding(match: Match, weights: Array) -> str:
    """Returns the combined padding of all nodes, SAME or VALID, or "" if it is neither."""
    block, after, pads, crops = (
        nodes.value(match[key]) for key in ("block", "block_after", "pads", "crops")
    )
    if any(array.dtype.kind not in "iu" for array in (block, after, pads, crops)):
        return ""
    if block.shape != (2,) or not np.array_equal(block, after) or block.min() < 1:
        return ""
    if pads.shape != (2, 2) or crops.shape != (2, 2):
        return ""
    size = np.array(weights.shape[:2])
    total = (size - 1) * block
    added = (pads - crops).astype(np.int64)
    if nodes.text(match["conv"], "padding") == "VALID":
        if not added.any():
            return "VALID"
        return (
            "SAME" if np.array_equal(added, np.stack([total // 2, total - total // 2], 1)) else ""
        )
    is_same = nodes.text(match["conv"], "padding") == "SAME" and (size % 2 == 1).all()
    return "SAME" if is_same and not added.any() else ""


def _is_plain(conv: NodeDef, weights: NodeDef) -> bool:
    steps = (*nodes.ints(conv, "strides"), *nodes.ints(conv, "dilations"))
    is_last = nodes.text(conv, "data_format", "NHWC") == "NHWC"
    return (
        is_last
        and set(steps) == {1}
        and nodes.tensor(weights).dtype == nodes.dtype(conv) in (1, 2, 19)
    )


def _dilated(weights: Array, block: Array) -> Array:
    """Returns a filter with zeros inserted between its values."""
    height, width = (
        (size - 1) * int(step) + 1 for size, step in zip(weights.shape, block, strict=False)
    )
    dilated = np.zeros((height, width, *weights.shape[2:]), weights.dtype)
    dilated[:: int(block[0]), :: int(block[1])] = weights
    return dilated


def apply(graph: Graph, context: Context) -> Graph:
    """Merges the convolutions; raises InvalidInput if a constant is damaged."""
    matcher = Matcher(graph, context.preserved())
    taken = {node.name for node in graph.nodes}
    removed: set[str] = set()
    created: dict[str, list[NodeDef]] = {}
    for node in graph.nodes:
        match = matcher.match(_PATTERN, node) if not control_inputs(node) else None
        if match is None or not _is_plain(match["conv"], match["filter"]):
            continue
        weights = nodes.value(match["filter"])
        padding = _padding(match, weights) if weights.ndim == 4 else ""
        if not padding or _is_too_large(weights, nodes.value(match["block"])):
            continue
        dilated = instead_of(
            [match[key] for key in ("filter", "block", "pads", "block_after", "crops")],
            unique_name(f"{match['filter'].name}/flattened", taken),
            _dilated(weights, nodes.value(match["block"])),
        )
        conv = nodes.copy(match["conv"], node.name)
        conv.input[:] = [data_inputs(match["to_batch"])[0].text(), Ref(dilated.name).text()]
        nodes.set_attr(conv, "padding", nodes.text_value(padding))
        created[node.name] = [dilated, conv]
        removed |= {match["conv"].name, match["to_batch"].name}
    return _without_unused(graph, created, removed)


def _is_too_large(weights: Array, block: Array) -> bool:
    """Returns whether the wider filter would be too large."""
    return int(weights.size) * math.prod(map(int, block.reshape(-1))) > 1 << 26


def _without_unused(graph: Graph, created: dict[str, list[NodeDef]], removed: set[str]) -> Graph:
    listed = [
        n
        for node in graph.nodes
        if node.name not in removed
        for n in created.get(node.name, [node])
    ]
    replaced = graph.with_nodes(listed)
    users = Matcher(replaced)
    old = Matcher(graph)
    return replaced.with_nodes(
        node
        for node in listed
        if node.op != _CONST or users.users(node.name) or not old.users(node.name)
    )
