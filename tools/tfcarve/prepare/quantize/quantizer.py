"""Replaces float nodes with quantized nodes, one after the other."""

from collections.abc import Sequence

import numpy as np

from tfcarve.prepare.graph import nodes
from tfcarve.prepare.graph.graph import CONTROL, Ref, control_inputs, data_inputs, set_inputs
from tfcarve.prepare.graph.messages import NodeDef
from tfcarve.prepare.graph.tensors import Array
from tfcarve.prepare.quantize.fake_quants import TrainedRange, trained_range
from tfcarve.prepare.quantize.integer_bias import Unbiased, biased, in_steps, result_step
from tfcarve.prepare.quantize.known_ranges import Range
from tfcarve.prepare.quantize.quantization import (
    QINT32,
    QUINT8,
    QuantizedTensor,
    dequantize,
    quantize,
)
from tfcarve.prepare.quantize.quantized_ops import (
    CLIPS,
    CONCATS,
    DEPTHWISE,
    PASSING,
    QuantizedOp,
    inputs,
    quantized_op,
)
from tfcarve.prepare.quantize.quantized_plan import is_heavy
from tfcarve.prepare.quantize.quantized_tensors import QuantizedTensors
from tfcarve.prepare.quantize.quantized_weights import Weights, weights_of
from tfcarve.prepare.quantize.result_ranges import ResultRanges

# Ops whose output has the range of its first operand.
_KEEP_RANGE = frozenset(("AvgPool", "MaxPool", "Relu", "Relu6", "Reshape", "ResizeBilinear"))


class Quantizer:
    """Adds nodes and their replacements to a list, in topological order."""

    def __init__(self, results: ResultRanges, per_channel: bool) -> None:
        """Takes the nodes to replace, the source of ranges, and whether each channel of weights uses all of the 8 bits."""
        self._results = results
        self._per_channel = per_channel
        self._facts = results.facts
        self._tensors = QuantizedTensors(results.facts, results.ranges)
        self._unbiased: dict[Ref, Unbiased] = {}

    def listed(self) -> list[NodeDef]:
        """Returns the nodes that were added, in topological order."""
        return self._tensors.listed

    def add(self, node: NodeDef) -> None:
        """Adds a node or its replacement; its inputs must have been added before."""
        if node.name not in self._facts.fed:
            found = trained_range(node, self._facts)
            if found is not None:
                return self._fake_quant(node, found)
            if node.name in self._results.plan.replaced and self._replace(node):
                return None
            if _is_dequantize(node):
                self._tensors.set(Ref(node.name), QuantizedTensor(*data_inputs(node)))
        self._tensors.listed.append(node)
        return None

    def _replace(self, node: NodeDef) -> bool:
        """Adds the replacement of a node; returns False if the node has none."""
        if node.op in PASSING:
            return self._pass(node)
        clipped = self._clipped(node)
        if clipped is not None:
            self._tensors.dequantized(node.name, clipped)
            return True
        unbiased = self._unbiased.pop(data_inputs(node)[0], None)
        if unbiased is not None:
            self._add_result(node, biased(node, unbiased, self._tensors))
            return True
        op = quantized_op(node, self._facts)
        return op is not None and self._op(node, op)

    def _operands(
        self, node: NodeDef, op: QuantizedOp, weights: Weights | None
    ) -> list[QuantizedTensor] | None:
        """Returns the quantized inputs of a node in their order, or None if a constant can't be quantized."""
        sources = [(i, source) for i, source in enumerate(inputs(node)) if i not in op.plain]
        found: dict[int, QuantizedTensor] = {}
        # Constants first: if one can't be quantized, no other node is added.
        for index, source in sorted(sources, key=lambda s: not self._facts.is_constant(s[1])):
            if index == 1 and weights is not None and weights.multiplied is not None:
                created = self._tensors.of_constant(weights.multiplied, bool(op.signed))
            elif index in op.signed:
                constant = self._facts.known[source.node]
                created = self._tensors.of_constant(constant, is_signed=True)
            else:
                created = self._tensors.of(source)
            if created is None:
                return None
            found[index] = created
        return [found[index] for index, _ in sources]

    def _op(self, node: NodeDef, op: QuantizedOp) -> bool:
        """Adds the quantized op for a node; returns False if an input does not allow it."""
        if node.op == DEPTHWISE and not self._starts_at_0(data_inputs(node)[0]):
            return False
        bias_add = self._bias_add(node)
        bias = self._facts.constant(data_inputs(bias_add)[1]) if bias_add is not None else None
        weights = self._weights(node, op, bias)
        operands = self._operands(node, op, weights)
        if operands is None:
            return False
        remaining = iter(operands)
        read = [
            s if index in op.plain else next(remaining).values
            for index, s in enumerate(inputs(node))
        ]
        if op.lows_first:
            read += [quantized.low for quantized in operands]
            read += [quantized.high for quantized in operands]
        else:
            read += [end for quantized in operands for end in (quantized.low, quantized.high)]
        control = [Ref(name, CONTROL) for name in control_inputs(node)]
        created = self._tensors.node(op.op, f"{node.name}/eightbit", *read, *control, **op.types)
        nodes.copy_attrs(node, self._tensors.listed[-1], op.copied)
        known_range = None if op.returns_qint32 else _output_range(node, operands)
        result = QuantizedTensor(
            created, Ref(created.node, 1), Ref(created.node, 2), known_range=known_range
        )
        if not op.returns_qint32:
            self._tensors.dequantized(node.name, result)
            return True
        unbiased = _unbiased(result, operands, op, weights, bias)
        if unbiased is None:
            self._add_result(node, result)
        elif bias is None or unbiased.bias is None:
            self._add_result(node, biased(node, unbiased, self._tensors))
        else:
            self._unbiased[Ref(node.name)] = unbiased
        return True

    def _weights(self, node: NodeDef, op: QuantizedOp, bias: Array | None) -> Weights | None:
        """Returns the weights of a node with a bias, or None if they are quantized without changes."""
        ranges, read = self._results.ranges, self._known_range(data_inputs(node)[0])
        means = ranges.means if ranges is not None and read is not None else {}
        return weights_of(node, bool(op.signed), self._per_channel, self._facts, means, read, bias)

    def _add_result(self, node: NodeDef, accumulator: QuantizedTensor) -> None:
        """Adds the conversion of a qint32 result: to 8 bits, or to float if only float nodes read it."""
        if self._results.ranges is not None and node.name not in self._results.plan.read:
            self._tensors.listed.append(dequantize(node.name, accumulator, QINT32))
        else:
            small = self._results.requantized(node, accumulator, self._tensors)
            self._tensors.dequantized(node.name, small)

    def _bias_add(self, node: NodeDef) -> NodeDef | None:
        """Returns the only consumer of a node with weights if the consumer is a BiasAdd that is replaced with known ranges."""
        user = self._results.replaced_user(node.name)
        if self._results.ranges is None or not is_heavy(node) or user is None:
            return None
        return user if user.op == "BiasAdd" and data_inputs(user)[0] == Ref(node.name) else None

    def _starts_at_0(self, source: Ref) -> bool:
        """Returns whether a tensor is quantized, or will be, with a range that is known to start at 0.

        Source: oneDNN's kernel of QuantizedDepthwiseConv2D, MklQuantizedConvOp in
        tensorflow/core/kernels/mkl/mkl_conv_ops.cc, does not subtract the quantized value of 0.
        """
        known_range = self._known_range(source)
        return known_range is not None and known_range[0] == 0

    def _known_range(self, source: Ref) -> Range | None:
        """Returns the range with which a tensor is quantized, or will be; None if the range is not known."""
        found, ranges = self._tensors.found(source), self._results.ranges
        if found is not None:
            return found.known_range
        if ranges is None or self._facts.is_constant(source):
            return None
        return ranges.of(source)

    def _clipped(self, node: NodeDef) -> QuantizedTensor | None:
        """Returns the quantized input of a Relu or Relu6 if its range has only values that the op keeps."""
        if node.op not in CLIPS or control_inputs(node):
            return None
        found = self._tensors.found(data_inputs(node)[0])
        if found is None or found.known_range is None:
            return None
        return (
            found if found.known_range[0] == 0 and found.known_range[1] <= CLIPS[node.op] else None
        )

    def _pass(self, node: NodeDef) -> bool:
        """Adds a node that passes quantized values through; returns False if its input is not quantized."""
        source, *others = data_inputs(node)
        quantized = self._tensors.found(source)
        if quantized is None:
            return False
        created = nodes.copy(node)
        if node.op in ("Pad", "PadV2"):
            padding = self._padding(node, quantized)
            if padding is None:
                return False
            created.op = "PadV2"
            others = [others[0], padding]
        created.name = self._tensors.name(f"{node.name}/eightbit")
        control = [Ref(name, CONTROL) for name in control_inputs(node)]
        set_inputs(created, [quantized.values, *others, *control])
        created.attr["T"].type = QUINT8
        created.attr.pop("_output_shapes", None)
        self._tensors.listed.append(created)
        known_range = quantized.known_range
        passed = QuantizedTensor(
            Ref(created.name), quantized.low, quantized.high, known_range=known_range
        )
        self._tensors.dequantized(node.name, passed)
        return True

    def _padding(self, node: NodeDef, quantized: QuantizedTensor) -> Ref | None:
        """Adds the quantized value of a Pad, or returns None if it is unknown or not in the range."""
        sources = data_inputs(node)
        value = self._facts.constant(sources[2]) if node.op == "PadV2" else np.zeros((), np.float32)
        if quantized.known_range is None or value is None or value.size != 1:
            return None
        low, high = quantized.known_range
        if not low <= value.reshape(()) <= high:
            return None
        padding = quantize(value.reshape(()), low, high)
        return self._tensors.constant(f"{node.name}/eightbit/padding", padding, sources[0], QUINT8)

    def _fake_quant(self, node: NodeDef, found: TrainedRange) -> None:
        """Adds a tensor that is quantized with its trained range."""
        above = self._facts.known[found.source.node]
        op = quantized_op(above, self._facts)
        quantized = self._tensors.found(found.source)
        is_only = self._results.matcher.only_user(above.name) is node
        if quantized is None or not is_only or op is None or not op.returns_qint32:
            name = f"{node.name}_eightbit/quantize"
            quantized = self._tensors.quantized(name, found.source, found.low, found.high)
        self._tensors.dequantized(node.name, quantized)


def _unbiased(
    result: QuantizedTensor,
    operands: Sequence[QuantizedTensor],
    op: QuantizedOp,
    weights: Weights | None,
    bias: Array | None,
) -> Unbiased | None:
    """Returns a result with its bias and shifts; None if it has neither."""
    shifts = weights.shifts if weights is not None else np.zeros((), np.int32)
    added = bias
    if weights is not None and weights.mean_error.any():
        added = (0 if bias is None else bias) - weights.mean_error
    ranges = [operand.known_range for operand in operands if operand.known_range is not None]
    steps = None
    if added is not None and len(ranges) == len(operands):
        steps = in_steps(added, shifts, result_step(ranges, bool(op.signed)))
    return Unbiased(result, steps, shifts) if steps is not None or shifts.any() else None


def _output_range(node: NodeDef, operands: Sequence[QuantizedTensor]) -> Range | None:
    """Returns the constant range of the output of a quantized op that does not return qint32, or None if it is not constant."""
    if node.op in _KEEP_RANGE:
        return operands[0].known_range
    ranges = [tensor.known_range for tensor in operands if tensor.known_range is not None]
    if node.op not in CONCATS or len(ranges) < len(operands):
        return None
    return min(low for low, _ in ranges), max(high for _, high in ranges)


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
