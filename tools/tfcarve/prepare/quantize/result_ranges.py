"""The ranges of the qint32 results of quantized nodes. Pure, except that it adds nodes to a list."""

from dataclasses import dataclass

import numpy as np

from tfcarve.prepare.graph.graph import Ref, control_inputs, data_inputs
from tfcarve.prepare.graph.matching import Matcher
from tfcarve.prepare.graph.messages import NodeDef
from tfcarve.prepare.layout.layouts import Facts
from tfcarve.prepare.quantize.fake_quants import TrainedRange, trained_range
from tfcarve.prepare.quantize.known_ranges import KnownRanges, Range
from tfcarve.prepare.quantize.quantization import QINT32, QUINT8, QuantizedTensor
from tfcarve.prepare.quantize.quantized_ops import CLIPS, CONCATS, operands, quantized_op
from tfcarve.prepare.quantize.quantized_plan import Plan
from tfcarve.prepare.quantize.quantized_tensors import QuantizedTensors


@dataclass(frozen=True)
class ResultRanges:
    """The sources of the ranges of results. Without `fallback` and `ranges`, the graph measures ranges in each run.

    Attributes:
      facts: about the graph.
      plan: the nodes that are replaced.
      matcher: the edges of the graph.
      fallback: the range of each result.
      ranges: the range of each tensor.
    """

    facts: Facts
    plan: Plan
    matcher: Matcher
    fallback: Range | None = None
    ranges: KnownRanges | None = None

    def requantized(
        self, node: NodeDef, accumulator: QuantizedTensor, tensors: QuantizedTensors
    ) -> QuantizedTensor:
        """Adds a Requantize of a node's result."""
        low, high, known_range = self._range(node, accumulator, tensors)
        name = f"{accumulator.values.node}/requantize"
        types = {"Tinput": QINT32, "out_type": QUINT8}
        created = tensors.node("Requantize", name, *accumulator.refs(), low, high, **types)
        return QuantizedTensor(
            created, Ref(created.node, 1), Ref(created.node, 2), known_range=known_range
        )

    def _range(
        self, node: NodeDef, accumulator: QuantizedTensor, tensors: QuantizedTensors
    ) -> tuple[Ref, Ref, Range | None]:
        """Returns the range of a result: trained, else known, else fallback_min and fallback_max, else measured."""
        name = accumulator.values.node
        user = self.matcher.only_user(node.name)
        found = trained_range(user, self.facts) if user is not None else None
        if found is not None:
            return found.low, found.high, self._trained_range(found)
        known_range, kind = self.fallback, "fallback"
        if self.ranges is not None:
            known_range, kind = self._known_range(node, self.ranges), "range"
        if known_range is not None:
            return *tensors.range_constants(
                f"{name}/{kind}", known_range, data_inputs(node)[0]
            ), known_range
        created = tensors.node(
            "RequantizationRange", f"{name}/requant_range", *accumulator.refs(), Tinput=QINT32
        )
        return created, Ref(created.node, 1), None

    def _known_range(self, node: NodeDef, ranges: KnownRanges) -> Range:
        """Returns the known range of a result, so that an op after it need not change the values.

        Requantize clips the values to the range of a Relu that follows. Tensors that are concatenated get one range.
        """
        name, most = node.name, np.float32(np.inf)
        user = self.replaced_user(name)
        if user is not None and user.op in CLIPS and not control_inputs(user):
            name, most = user.name, CLIPS[user.op]
            user = self.replaced_user(name)
        read = [Ref(name)]
        if user is not None and user.op in CONCATS:
            op = quantized_op(user, self.facts)
            joined = operands(user, op) if op is not None else []
            read += [source for source in joined if not self.facts.is_constant(source)]
        lows, highs = zip(*map(ranges.of, read), strict=True)
        return min(lows) if name == node.name else np.float32(0), min(most, max(highs))

    def replaced_user(self, name: str) -> NodeDef | None:
        """Returns the only consumer of a node if the consumer is replaced too."""
        user = self.matcher.only_user(name)
        return user if user is not None and user.name in self.plan.replaced else None

    def _trained_range(self, found: TrainedRange) -> Range | None:
        low, high = (self.facts.constant(end) for end in (found.low, found.high))
        if low is None or high is None:
            return None
        return np.float32(low), np.float32(high)
