"""The ranges of the qint32 results of quantized nodes. Pure, except that it adds nodes to a list."""

from dataclasses import dataclass

import numpy as np

from tfcarve.prepare.fake_quants import TrainedRange, trained_range
from tfcarve.prepare.graph import Ref, control_inputs, data_inputs
from tfcarve.prepare.known_ranges import KnownRanges, Range
from tfcarve.prepare.layout import Facts
from tfcarve.prepare.matching import Matcher
from tfcarve.prepare.messages import NodeDef
from tfcarve.prepare.quantization import QINT32, QUINT8, QuantizedTensor
from tfcarve.prepare.quantized_ops import CLIPS, CONCATS, operands, quantized_op
from tfcarve.prepare.quantized_plan import Plan
from tfcarve.prepare.quantized_tensors import QuantizedTensors


@dataclass(frozen=True)
class ResultRanges:
    """Where the ranges of results come from; without `fallback` and `ranges` they are measured in each run.

    Attributes:
      facts: about the graph.
      plan: what is replaced.
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
        self, node: NodeDef, wide: QuantizedTensor, tensors: QuantizedTensors
    ) -> QuantizedTensor:
        """Adds a Requantize of a node's result."""
        low, high, ends = self._range(node, wide, tensors)
        name = f"{wide.values.node}/requantize"
        types = {"Tinput": QINT32, "out_type": QUINT8}
        created = tensors.node("Requantize", name, *wide.refs(), low, high, **types)
        return QuantizedTensor(created, Ref(created.node, 1), Ref(created.node, 2), ends=ends)

    def _range(
        self, node: NodeDef, wide: QuantizedTensor, tensors: QuantizedTensors
    ) -> tuple[Ref, Ref, Range | None]:
        """Returns the range of a result: trained, else known, else fallback_min and fallback_max, else measured."""
        name = wide.values.node
        user = self.matcher.only_user(node.name)
        found = trained_range(user, self.facts) if user is not None else None
        if found is not None:
            return found.low, found.high, self._trained_ends(found)
        ends, kind = self.fallback, "fallback"
        if self.ranges is not None:
            ends, kind = self._known_ends(node, self.ranges), "range"
        if ends is not None:
            return *tensors.ends(f"{name}/{kind}", ends, data_inputs(node)[0]), ends
        created = tensors.node(
            "RequantizationRange", f"{name}/requant_range", *wide.refs(), Tinput=QINT32
        )
        return created, Ref(created.node, 1), None

    def _known_ends(self, node: NodeDef, ranges: KnownRanges) -> Range:
        """Returns the known range of a result, so that an op after it need not change the values.

        Requantize clips: to the range of a Relu that follows. What is concatenated gets the same range.
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
        """Returns the only consumer of a node if that is replaced too."""
        user = self.matcher.only_user(name)
        return user if user is not None and user.name in self.plan.replaced else None

    def _trained_ends(self, found: TrainedRange) -> Range | None:
        low, high = (self.facts.constant(end) for end in (found.low, found.high))
        if low is None or high is None:
            return None
        return np.float32(low), np.float32(high)
