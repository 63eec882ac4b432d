"""FakeQuantWithMinMaxVars: value ranges from quantization-aware training.

Source: HoistFakeQuants in tensorflow/tools/graph_transforms/quantize_nodes.cc. Unlike TensorFlow's tool, it moves a
node only before monotonic ops, not before any op with one input.
"""

from dataclasses import dataclass

from tfcarve.prepare.graph import nodes
from tfcarve.prepare.graph.graph import Graph, Ref, data_inputs, unique_name
from tfcarve.prepare.graph.matching import Matcher
from tfcarve.prepare.graph.messages import NodeDef
from tfcarve.prepare.layout.layouts import Facts

_OP = "FakeQuantWithMinMaxVars"
_MAX_MOVED = 3
_MONOTONOUS = frozenset(("AvgPool", "Identity", "MaxPool", "Relu", "Relu6"))


@dataclass(frozen=True)
class TrainedRange:
    """A trained range.

    Attributes:
      source: the tensor with this range.
      low: the constant lower bound, at most 0.
      high: the constant upper bound.
    """

    source: Ref
    low: Ref
    high: Ref


def trained_range(node: NodeDef, facts: Facts) -> TrainedRange | None:
    """Returns the range of an 8-bit FakeQuantWithMinMaxVars with constant bounds, or None for any other node."""
    if node.op != _OP or node.name in facts.fed or len(data_inputs(node)) != 3:
        return None
    bits = node.attr["num_bits"].i if "num_bits" in node.attr else 8
    source, low, high = data_inputs(node)
    bounds = [facts.constant(bound) for bound in (low, high)]
    if bits != 8 or nodes.flag(node, "narrow_range", False):
        return None
    if any(bound is None or bound.size != 1 or bound.ndim for bound in bounds):
        return None
    start, end = (float(value) for value in bounds if value is not None)
    return TrainedRange(source, low, high) if start <= 0 < end else None


def hoisted(graph: Graph, facts: Facts, preserved: set[str]) -> Graph:
    """Moves FakeQuantWithMinMaxVars nodes before up to three monotonic nodes."""
    matcher = Matcher(graph, preserved)
    taken = {node.name for node in graph.nodes}
    removed: set[str] = set()
    added: list[NodeDef] = []
    for node in graph.nodes:
        found = trained_range(node, facts)
        if found is None:
            continue
        chain: list[NodeDef] = []
        above = matcher.node(found.source.node)
        while above is not None and above.op in _MONOTONOUS and len(chain) < _MAX_MOVED:
            if above.name in facts.fed or matcher.only_user(above.name) is None:
                break
            if len(data_inputs(above)) != 1:
                break
            chain.append(above)
            above = matcher.node(data_inputs(above)[0].node)
        if not chain or any(text.startswith("^") for text in node.input):
            continue
        moved = nodes.copy(node, unique_name(f"{node.name}_hoisted", taken))
        moved.input[0] = chain[-1].input[0]
        chain[-1].input[0] = moved.name
        removed.add(node.name)
        added.append(moved)
        chain[0].name = node.name
    listed = [n for n in graph.nodes if not (n.name in removed and n.op == _OP)]
    return graph.with_nodes([*listed, *added])
