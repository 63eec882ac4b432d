"""quantize_nodes: replaces float ops with quantized ops.

Source: QuantizeNodes in tensorflow/tools/graph_transforms/quantize_nodes.cc. Unlike TensorFlow's tool, it supports
AddV2 and ConcatV2, quantizes constants directly, and does not replace a node with features that its quantized op does
not support (other layouts, explicit padding, dilations, most broadcasts): TensorFlow's graph then fails or is wrong.
"""

import numpy as np

from tfcarve.errors import InvalidInput
from tfcarve.prepare import inference, nodes
from tfcarve.prepare.context import Context
from tfcarve.prepare.fake_quants import TrainedRange, hoisted, trained_range
from tfcarve.prepare.graph import (
    CONTROL,
    Graph,
    Ref,
    by_name,
    consumer_counts,
    control_inputs,
    data_inputs,
    set_inputs,
    topological_order,
    unique_name,
)
from tfcarve.prepare.layout import Facts
from tfcarve.prepare.matching import Matcher
from tfcarve.prepare.messages import NodeDef
from tfcarve.prepare.quantization import QINT32, QUINT8, QuantizedTensor, constants, dequantize
from tfcarve.prepare.quantized_ops import QuantizedOp, inputs, quantized_op
from tfcarve.prepare.tensors import Array
from tfcarve.prepare.transforms.quantize_placeholders import quantize, range_parameters
from tfcarve.prepare.unused import without_unused

PARAMETERS = frozenset(("fallback_max", "fallback_min", "ignore_op", "input_max", "input_min"))
IN_FUNCTIONS = True

_REPLACED = frozenset(("Const", "Dequantize"))
_FRAMES = frozenset(("Enter", "RefEnter", "RefSwitch", "Switch"))
_SUFFIXES = ("_quantized_const", "_quantized_min", "_quantized_max")

Range = tuple[np.float32, np.float32]


class _Quantizer:
    def __init__(
        self, facts: Facts, ignored: tuple[str, ...], fallback: Range | None, matcher: Matcher
    ) -> None:
        self._facts = facts
        self._ignored = ignored
        self._fallback = fallback
        self._matcher = matcher
        self._taken = set(facts.known)
        self._has_frames = any(node.op in _FRAMES for node in facts.known.values())
        self._quantized: dict[Ref, QuantizedTensor] = {}
        self.listed: list[NodeDef] = []

    def add(self, node: NodeDef) -> None:
        """Adds the replacement of a node; its inputs must have been added before."""
        if node.name not in self._facts.fed:
            found = trained_range(node, self._facts)
            op = quantized_op(node, self._facts) if node.op not in self._ignored else None
            if found is not None:
                return self._fake_quant(node, found)
            if op is not None and self._op(node, op):
                return None
            if _is_dequantize(node):
                self._quantized[Ref(node.name)] = QuantizedTensor(*data_inputs(node))
        self.listed.append(node)
        return None

    def _name(self, wanted: str) -> str:
        return unique_name(wanted, self._taken)

    def _node(self, op: str, name: str, *read: Ref, **types: int) -> Ref:
        created = nodes.make(op, self._name(name), read)
        for key, number in types.items():
            created.attr[key].type = number
        self.listed.append(created)
        return Ref(created.name)

    def _constant(self, name: str, array: Array, near: Ref) -> Ref:
        created = nodes.constant(self._name(name), array)
        set_inputs(created, [Ref(near.node, CONTROL)] if self._has_frames else [])
        self.listed.append(created)
        return Ref(created.name)

    def _quantize(self, name: str, read: Ref, low: Ref, high: Ref) -> QuantizedTensor:
        created = self._node("QuantizeV2", name, read, low, high, T=QUINT8)
        self.listed[-1].attr["mode"].s = b"MIN_FIRST"
        return QuantizedTensor(created, Ref(created.node, 1), Ref(created.node, 2))

    def _quantized_tensor(self, source: Ref) -> QuantizedTensor | None:
        """Returns a float tensor quantized, or None for a constant that is not finite."""
        if source not in self._quantized:
            created = (
                self._quantized_constant(source)
                if self._facts.is_constant(source)
                else self._measured(source)
            )
            if created is None:
                return None
            self._quantized[source] = created
        return self._quantized[source]

    def _quantized_constant(self, source: Ref) -> QuantizedTensor | None:
        values, low, high = (self._name(f"{source.node}{suffix}") for suffix in _SUFFIXES)
        created = constants(self._facts.known[source.node], (values, low, high))
        if created is None:
            return None
        self.listed += created
        return QuantizedTensor(*(Ref(node.name) for node in created))

    def _measured(self, source: Ref) -> QuantizedTensor:
        """Returns a tensor quantized with a range that is measured in each run."""
        port = f"__port__{source.output}" if source.output else ""
        prefix = f"{source.node}{port}_eightbit"
        every = self._constant(f"{prefix}/reshape_dims", np.array([-1], np.int32), source)
        first = self._constant(f"{prefix}/reduction_dims", np.array([0], np.int32), source)
        types = {"T": nodes.FLOAT, "Tshape": nodes.INT32}
        flat = self._node("Reshape", f"{prefix}/reshape", source, every, **types)
        types = {"T": nodes.FLOAT, "Tidx": nodes.INT32}
        low = self._node("Min", f"{prefix}/min", flat, first, **types)
        high = self._node("Max", f"{prefix}/max", flat, first, **types)
        return self._quantize(f"{prefix}/quantize", source, low, high)

    def _op(self, node: NodeDef, op: QuantizedOp) -> bool:
        """Adds the quantized op for a node; returns False if a constant can't be quantized."""
        sources = inputs(node)
        to_quantize = [source for index, source in enumerate(sources) if index not in op.plain]
        fixed = [source for source in to_quantize if self._facts.is_constant(source)]
        if any(self._quantized_tensor(source) is None for source in fixed):
            return False
        operands = [
            quantized
            for quantized in map(self._quantized_tensor, to_quantize)
            if quantized is not None
        ]
        remaining = iter(operands)
        read = [
            s if index in op.plain else next(remaining).values for index, s in enumerate(sources)
        ]
        if op.lows_first:
            read += [quantized.low for quantized in operands] + [
                quantized.high for quantized in operands
            ]
        else:
            read += [end for quantized in operands for end in (quantized.low, quantized.high)]
        control = [Ref(name, CONTROL) for name in control_inputs(node)]
        created = self._node(op.op, f"{node.name}/eightbit", *read, *control, **op.types)
        nodes.copy_attrs(node, self.listed[-1], op.copied)
        quantized = QuantizedTensor(created, Ref(created.node, 1), Ref(created.node, 2))
        if op.is_wide:
            quantized = self._requantized(node, quantized)
        self._dequantize(node.name, quantized)
        return True

    def _dequantize(self, name: str, quantized: QuantizedTensor) -> None:
        self._quantized[Ref(name)] = quantized
        self.listed.append(dequantize(name, quantized))

    def _requantized(self, node: NodeDef, wide: QuantizedTensor) -> QuantizedTensor:
        name = wide.values.node
        low, high = self._range(node, wide)
        types = {"Tinput": QINT32, "out_type": QUINT8}
        created = self._node("Requantize", f"{name}/requantize", *wide.refs(), low, high, **types)
        return QuantizedTensor(created, Ref(created.node, 1), Ref(created.node, 2))

    def _range(self, node: NodeDef, wide: QuantizedTensor) -> tuple[Ref, Ref]:
        """Returns the range of a node's output: trained, else fallback_min and fallback_max, else measured."""
        name = wide.values.node
        user = self._matcher.only_user(node.name)
        found = trained_range(user, self._facts) if user is not None else None
        if found is not None:
            return found.low, found.high
        if self._fallback is not None:
            low, high = (
                self._constant(f"{name}/fallback_{end}", np.array(value), wide.values)
                for end, value in zip(("min", "max"), self._fallback, strict=True)
            )
            return low, high
        created = self._node(
            "RequantizationRange", f"{name}/requant_range", *wide.refs(), Tinput=QINT32
        )
        return created, Ref(created.node, 1)

    def _fake_quant(self, node: NodeDef, found: TrainedRange) -> None:
        """Adds a tensor that is quantized with its trained range."""
        above = self._facts.known[found.source.node]
        op = quantized_op(above, self._facts)
        is_quantized = (
            found.source in self._quantized and self._matcher.only_user(above.name) is node
        )
        if not (is_quantized and op is not None and op.is_wide):
            name = f"{node.name}_eightbit/quantize"
            quantized = self._quantize(name, found.source, found.low, found.high)
        else:
            quantized = self._quantized[found.source]
        self._dequantize(node.name, quantized)


def _is_dequantize(node: NodeDef) -> bool:
    """Returns whether a node is a Dequantize as quantize_weights creates it."""
    is_plain = "axis" not in node.attr or node.attr["axis"].i == -1
    return (
        node.op == "Dequantize"
        and len(data_inputs(node)) == 3
        and is_plain
        and nodes.dtype(node) == QUINT8
        and nodes.dtype(node, "dtype") in (0, nodes.FLOAT)
        and nodes.text(node, "mode", "MIN_COMBINED") == "MIN_FIRST"
    )


def apply(graph: Graph, context: Context) -> Graph:
    """Quantizes nodes; raises InvalidInput if a parameter is invalid or a constant is damaged."""
    parameters = context.parameters
    input_range, fallback = (range_parameters(parameters, kind) for kind in ("input", "fallback"))
    if fallback is not None and fallback[0] > 0:
        raise InvalidInput(f"quantize_nodes: fallback_min={fallback[0]}: expected 0 or less")
    if input_range is not None and not context.in_function:
        graph = quantize(graph, *input_range)
    fed = context.input_nodes()
    graph = hoisted(graph, Facts(by_name(graph), {}, fed), context.preserved())
    facts = Facts(by_name(graph), inference.outputs(graph, context.evaluator), fed)
    was_read = consumer_counts(graph)
    matcher = Matcher(graph, context.preserved())
    quantizer = _Quantizer(facts, parameters.all("ignore_op"), fallback, matcher)
    for node in topological_order(graph):
        quantizer.add(node)
    created = graph.with_nodes(quantizer.listed)
    return without_unused(created, _REPLACED, was_read, context.preserved())
