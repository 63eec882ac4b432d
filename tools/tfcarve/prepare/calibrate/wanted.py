"""The tensors whose ranges and channel means quantization needs. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass

from tfcarve.prepare.control_flow.frames import without_value
from tfcarve.prepare.graph.graph import Ref, data_inputs
from tfcarve.prepare.graph.messages import NodeDef
from tfcarve.prepare.layout.layouts import Facts
from tfcarve.prepare.quantize.bias_correction import averaged_input
from tfcarve.prepare.quantize.quantized_ops import operands, quantized_op

RANGE_OP = "RequantizationRange"


@dataclass(frozen=True)
class Wanted:
    """A tensor whose range is measured.

    Attributes:
      name: its name in ranges.json.
      read: the tensor; if it is quantized, also its low and high end.
    """

    name: str
    read: tuple[Ref, ...]


def wanted(order: Sequence[NodeDef], facts: Facts) -> list[Wanted]:
    """Returns the tensors whose ranges quantize_nodes or freeze_requantization_ranges may need.

    Args:
      order: the nodes in topological order, with FakeQuants as fake_quants.hoisted places them.
      facts: about these nodes.
    """
    left_out = without_value(order)
    found: dict[str, Wanted] = {}
    for node in order:
        if node.name in left_out or node.name in facts.fed:
            continue
        if node.op == RANGE_OP:
            found[node.name] = Wanted(node.name, tuple(data_inputs(node)))
            continue
        op = quantized_op(node, facts)
        if op is None:
            continue
        for source in (*operands(node, op), Ref(node.name)):
            if source.node not in left_out and not facts.is_constant(source):
                found[source.text()] = Wanted(source.text(), (source,))
    return list(found.values())


def averaged(order: Sequence[NodeDef], facts: Facts) -> dict[str, Ref]:
    """Returns the tensors whose channel means correct biases, by the nodes that read them.

    Args:
      order: the nodes in topological order.
      facts: about these nodes.
    """
    left_out = without_value(order)
    found: dict[str, Ref] = {}
    for node in order:
        source = averaged_input(node, facts.known, facts.fed)
        if source is None or node.name in left_out or node.name in facts.fed:
            continue
        if source.node not in left_out and not facts.is_constant(source):
            found[node.name] = source
    return found
