"""Creates quantized tensors, and the nodes for them."""

import numpy as np

from tfcarve.prepare.control_flow.constants import Constants
from tfcarve.prepare.graph import nodes
from tfcarve.prepare.graph.graph import Ref, unique_name
from tfcarve.prepare.graph.messages import AttrValue, NodeDef
from tfcarve.prepare.graph.tensors import Array
from tfcarve.prepare.layout.layouts import Facts
from tfcarve.prepare.quantize.known_ranges import KnownRanges, Range
from tfcarve.prepare.quantize.quantization import (
    QUINT8,
    QuantizedTensor,
    constants,
    dequantize,
    signed_constants,
)

_SUFFIXES = ("_quantized_const", "_quantized_min", "_quantized_max")


class QuantizedTensors:
    """The quantized tensors of a graph by the float tensors that they replace, and the list of its new nodes.

    Attributes:
      listed: the nodes, in topological order.
    """

    def __init__(self, facts: Facts, ranges: KnownRanges | None) -> None:
        """Takes facts about the graph, and its ranges if they are not measured in each run."""
        self._facts = facts
        self._ranges = ranges
        self._taken = set(facts.known)
        self._constants = Constants(facts.known.values())
        self._quantized: dict[Ref, QuantizedTensor] = {}
        self.listed: list[NodeDef] = []

    def found(self, source: Ref) -> QuantizedTensor | None:
        """Returns the quantized tensor of a float tensor that has one already."""
        return self._quantized.get(source)

    def set(self, source: Ref, quantized: QuantizedTensor) -> None:
        """Sets the quantized tensor of a float tensor."""
        self._quantized[source] = quantized

    def dequantized(self, name: str, quantized: QuantizedTensor) -> None:
        """Sets the quantized tensor of the node `name`, and adds a Dequantize with this name for other nodes."""
        self.set(Ref(name), quantized)
        self.listed.append(dequantize(name, quantized))

    def name(self, wanted: str) -> str:
        """Returns a new name."""
        return unique_name(wanted, self._taken)

    def node(self, op: str, name: str, *read: Ref, **types: int) -> Ref:
        """Adds a node with type attributes."""
        created = nodes.make(op, self.name(name), read)
        for key, number in types.items():
            created.attr[key].type = number
        self.listed.append(created)
        return Ref(created.name)

    def constant(self, name: str, array: Array, near: Ref, dtype: int | None = None) -> Ref:
        """Adds a constant for a reader of `near`, a tensor of the float graph; `dtype` defaults to the array's type."""
        created = self._constants.beside(near, self.name(name), array, dtype)
        self.listed.append(created)
        return Ref(created.name)

    def range_constants(self, name: str, values: Range, near: Ref) -> tuple[Ref, Ref]:
        """Adds the constants of a range."""
        low, high = (
            self.constant(f"{name}_{end}", np.array(value), near)
            for end, value in zip(("min", "max"), values, strict=True)
        )
        return low, high

    def quantized(self, name: str, read: Ref, low: Ref, high: Ref) -> QuantizedTensor:
        """Adds a QuantizeV2."""
        created = self.node("QuantizeV2", name, read, low, high, T=QUINT8)
        self.listed[-1].attr["mode"].s = b"MIN_FIRST"
        return QuantizedTensor(created, Ref(created.node, 1), Ref(created.node, 2))

    def of(self, source: Ref) -> QuantizedTensor | None:
        """Returns a float tensor quantized, or None for a constant that is not finite."""
        if source not in self._quantized:
            if self._facts.is_constant(source):
                created = self.of_constant(self._facts.known[source.node], is_signed=False)
            elif self._ranges is not None:
                created = self._calibrated(source, self._ranges.of(source))
            else:
                created = self._measured(source)
            if created is None:
                return None
            self._quantized[source] = created
        return self._quantized[source]

    def of_constant(self, constant: NodeDef, is_signed: bool) -> QuantizedTensor | None:
        """Returns a float Const as quint8 or, if `is_signed`, as qint8; None if it is not finite."""
        values, low, high = (self.name(f"{constant.name}{suffix}") for suffix in _SUFFIXES)
        quantized = signed_constants if is_signed else constants
        created = quantized(constant, (values, low, high))
        if created is None:
            return None
        self.listed += created
        low_end, high_end = (np.float32(nodes.value(node)) for node in created[1:])
        return QuantizedTensor(
            *(Ref(node.name) for node in created), known_range=(low_end, high_end)
        )

    def _calibrated(self, source: Ref, values: Range) -> QuantizedTensor:
        """Returns a tensor quantized with a constant range."""
        prefix = _prefix(source)
        low, high = self.range_constants(f"{prefix}/range", values, source)
        created = self.quantized(f"{prefix}/quantize", source, low, high)
        # Otherwise the op widens narrow ranges.
        nodes.set_attr(self.listed[-1], "ensure_minimum_range", AttrValue(f=0))
        return QuantizedTensor(*created.refs(), known_range=values)

    def _measured(self, source: Ref) -> QuantizedTensor:
        """Returns a tensor quantized with a range that is measured in each run."""
        prefix = _prefix(source)
        every = self.constant(f"{prefix}/reshape_dims", np.array([-1], np.int32), source)
        first = self.constant(f"{prefix}/reduction_dims", np.array([0], np.int32), source)
        types = {"T": nodes.FLOAT, "Tshape": nodes.INT32}
        flat = self.node("Reshape", f"{prefix}/reshape", source, every, **types)
        types = {"T": nodes.FLOAT, "Tidx": nodes.INT32}
        low = self.node("Min", f"{prefix}/min", flat, first, **types)
        high = self.node("Max", f"{prefix}/max", flat, first, **types)
        return self.quantized(f"{prefix}/quantize", source, low, high)


def _prefix(source: Ref) -> str:
    port = f"__port__{source.output}" if source.output else ""
    return f"{source.node}{port}_eightbit"
