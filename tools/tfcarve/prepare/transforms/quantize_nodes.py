"""quantize_nodes: replaces float ops with quantized ops.

Source: QuantizeNodes in tensorflow/tools/graph_transforms/quantize_nodes.cc. Unlike TensorFlow's tool, it supports
AddV2, ConcatV2, DepthwiseConv2dNative, Identity, Pad and Squeeze, quantizes constants directly, takes ranges that
`tfcarve calibrate` measured, can use all of the 8 bits for each channel of weights, and does not replace a node with features that its quantized op does not support (other
layouts, explicit padding, dilations, most broadcasts): TensorFlow's graph then fails or is wrong.
"""

from collections.abc import Sequence

from tfcarve.errors import InvalidInput
from tfcarve.prepare.context import Context
from tfcarve.prepare.control_flow.frames import without_value
from tfcarve.prepare.evaluate import inference
from tfcarve.prepare.graph.graph import (
    Graph,
    Ref,
    by_name,
    consumer_counts,
    data_inputs,
    topological_order,
)
from tfcarve.prepare.graph.matching import Matcher
from tfcarve.prepare.graph.messages import NodeDef
from tfcarve.prepare.graph.unused import without_unused
from tfcarve.prepare.layout.layouts import Facts
from tfcarve.prepare.quantize import quantized_plan
from tfcarve.prepare.quantize.fake_quants import hoisted, trained_range
from tfcarve.prepare.quantize.known_ranges import PARAMETER, KnownRanges, known_ranges
from tfcarve.prepare.quantize.quantized_ops import (
    DEPTHWISE,
    PASSING,
    is_passing,
    operands,
    quantized_op,
)
from tfcarve.prepare.quantize.quantized_plan import Plan
from tfcarve.prepare.quantize.quantizer import Quantizer
from tfcarve.prepare.quantize.result_ranges import ResultRanges
from tfcarve.prepare.transforms.quantize_placeholders import quantize, range_parameters

PARAMETERS = frozenset(
    (
        "depthwise",
        "fallback_max",
        "fallback_min",
        "ignore_op",
        "input_max",
        "input_min",
        "per_channel",
        PARAMETER,
    )
)
IN_FUNCTIONS = True
NEEDS_TENSORFLOW = True
CAN_BREAK_GRAPHS = False

_REPLACED = frozenset(("Const", "Dequantize"))


def _operands(
    order: Sequence[NodeDef], facts: Facts, ignored: set[str], left_out: set[str]
) -> dict[str, list[Ref]]:
    """Returns the tensors that each node that can be replaced then reads quantized, without constants."""
    found: dict[str, list[Ref]] = {}
    for node in order:
        if node.op in ignored or node.name in facts.fed or node.name in left_out:
            continue
        op = quantized_op(node, facts)
        if op is not None:
            found[node.name] = [s for s in operands(node, op) if not facts.is_constant(s)]
        elif is_passing(node, facts) or trained_range(node, facts) is not None:
            found[node.name] = data_inputs(node)[:1]
    return found


def _float_depthwise(order: Sequence[NodeDef], facts: Facts, ranges: KnownRanges) -> set[str]:
    """Returns the names of the depthwise convolutions of inputs with ranges that do not start at 0.

    They stay float: see oneDNN's kernel in quantizer.py.
    """
    return {
        node.name
        for node in order
        if node.op == DEPTHWISE
        and quantized_op(node, facts) is not None
        and ranges.of(data_inputs(node)[0])[0] != 0
    }


def _plan(
    order: Sequence[NodeDef], facts: Facts, context: Context, ranges: KnownRanges | None
) -> Plan:
    parameters = context.parameters
    ignored = set(parameters.all("ignore_op"))
    if not parameters.boolean("depthwise", False):
        ignored.add(DEPTHWISE)

    def is_always(node: NodeDef) -> bool:
        if trained_range(node, facts) is not None:
            return True
        return quantized_plan.is_heavy(node) if ranges is not None else node.op not in PASSING

    left_out = set[str]()
    if ranges is not None:
        left_out |= without_value(order).union(facts.fed)
        valued = [n for n in order if n.name not in left_out and n.op not in ignored]
        left_out |= _float_depthwise(valued, facts, ranges)
    operands_of = _operands(order, facts, ignored, left_out)
    return quantized_plan.plan(order, operands_of, is_always)


def apply(graph: Graph, context: Context) -> Graph:
    """Quantizes nodes; raises InvalidInput if a parameter or a range is invalid or missing, or a constant is damaged."""
    parameters = context.parameters
    input_range, fallback = (range_parameters(parameters, kind) for kind in ("input", "fallback"))
    if fallback is not None and fallback[0] > 0:
        raise InvalidInput(f"quantize_nodes: fallback_min={fallback[0]}: expected 0 or less")
    if PARAMETER in parameters:
        if fallback is not None:
            raise InvalidInput(
                f"quantize_nodes: pass either {PARAMETER} or fallback_min and fallback_max"
            )
        if context.in_function:
            return graph  # its tensors have no ranges
    elif parameters.boolean("depthwise", False):
        raise InvalidInput(f"quantize_nodes: depthwise=true requires {PARAMETER}")
    if input_range is not None and not context.in_function:
        graph = quantize(graph, *input_range)
    fed = context.input_nodes()
    graph = hoisted(graph, Facts(by_name(graph), {}, fed), context.preserved())
    facts = Facts(by_name(graph), inference.outputs(graph, context.evaluator), fed)
    was_read = consumer_counts(graph)
    order = topological_order(graph)
    matcher = Matcher(graph, context.preserved())
    ranges = known_ranges(parameters, facts.known)
    plan = _plan(order, facts, context, ranges)
    results = ResultRanges(facts, plan, matcher, fallback, ranges)
    quantizer = Quantizer(results, parameters.boolean("per_channel", False))
    for node in order:
        quantizer.add(node)
    created = graph.with_nodes(quantizer.listed())
    return without_unused(created, _REPLACED, was_read, context.preserved())
