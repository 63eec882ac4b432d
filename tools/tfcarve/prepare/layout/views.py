"""Transposed views of tensors: an existing one is reused, a new one needs at most one Transpose."""

import numpy as np

from tfcarve.prepare.control_flow.constants import Constants, instead_of
from tfcarve.prepare.graph import nodes
from tfcarve.prepare.graph.graph import Ref, control_inputs, data_inputs, unique_name
from tfcarve.prepare.graph.messages import NodeDef
from tfcarve.prepare.graph.tensors import Array
from tfcarve.prepare.layout.layouts import Facts, Order, then, to_second

_REFERENCE = 100


class Views:
    """The views of the tensors of a graph that is being rewritten."""

    def __init__(self, facts: Facts) -> None:
        """Starts with the original graph."""
        self._facts = facts
        self._taken = set(facts.known)
        self._new_constants = Constants(facts.known.values())
        self._last: dict[Ref, Ref] = {}
        self._first: dict[Ref, Ref] = {}
        self._transposes: dict[Ref, tuple[Ref, Order]] = {}
        self._created: dict[tuple[Ref, Order], Ref] = {}
        self._constants: dict[tuple[bytes, str, tuple[int, ...]], Ref] = {}
        self.new: list[NodeDef] = []

    def name(self, wanted: str) -> str:
        """Returns an unused name."""
        return unique_name(wanted, self._taken)

    def set_last(self, source: Ref, last: Ref) -> None:
        """Records that `last` is `source` with channels last."""
        self._last[source] = last
        self._first[last] = source

    def is_last(self, source: Ref) -> bool:
        """Returns whether a tensor is available with channels last."""
        return source in self._last

    def perm(self, node: NodeDef) -> Order | None:
        """Returns the perm of a Transpose with a constant perm and no control inputs, else None."""
        if node.op != "Transpose" or node.name in self._facts.fed or control_inputs(node):
            return None
        sources = data_inputs(node)
        values = self._facts.integers(sources[1]) if len(sources) == 2 else None
        if values is None or sorted(values) != list(range(len(values))):
            return None
        return tuple(values)

    def resolve(self, source: Ref, order: Order) -> tuple[Ref, Order]:
        """Returns a tensor and a perm whose Transpose is equal to `source` transposed with `order`."""
        if source in self._last:
            return self._last[source], then(to_second(len(order)), order)
        if source in self._transposes:
            base, first = self._transposes[source]
            return base, then(first, order)
        return source, order

    def add(self, own: Ref, source: Ref, perm: Order) -> tuple[Ref, Order]:
        """Adds a Transpose of the original graph: `own` is `source` transposed with `perm`.

        Returns a tensor and a perm whose Transpose is equal to `own`; the perm is (0, 1, ...) if they are equal.
        """
        base, order = self.resolve(source, perm)
        self._transposes[own] = base, order
        self._created.setdefault((base, order), own)
        return base, order

    def transposed(self, source: Ref, order: Order, name: str = "") -> Ref:
        """Returns `source` transposed with `order`; a new node gets the name `name`."""
        base, order = self.resolve(source, order)
        if order == tuple(range(len(order))):
            return base
        if (base, order) not in self._created:
            self._created[base, order] = self._make(base, order, name)
        return self._created[base, order]

    def _make(self, base: Ref, order: Order, name: str) -> Ref:
        known = self._facts.known.get(base.node)
        if known is not None and self._facts.is_constant(base):
            created = self._constant(known, nodes.value(known).transpose(order), "transposed")
            return Ref(created.name)
        perm = self.integers(np.array(order, np.int32), self._first.get(base, base))
        suffix = f"_{base.output}" if base.output else ""
        name = name or self.name(f"{base.node}{suffix}/transpose")
        created = nodes.make("Transpose", name, (base, perm))
        created.attr["Tperm"].type = nodes.INT32
        created.attr["T"].type = self._dtype(base)
        self.new.append(created)
        return Ref(created.name)

    def _dtype(self, source: Ref) -> int:
        output = self._facts.output(self._first.get(source, source))
        return output.dtype % _REFERENCE if output is not None else nodes.FLOAT

    def _constant(self, old: NodeDef, array: Array, suffix: str) -> NodeDef:
        name = self.name(f"{old.name}/{suffix}")
        created = instead_of(old, name, array, nodes.tensor(old).dtype)
        self.new.append(created)
        return created

    def replaced(self, source: Ref, array: Array) -> Ref:
        """Returns a constant with the values `array` that replaces the constant `source`."""
        key = (array.tobytes(), source.node, array.shape)
        if key not in self._constants:
            created = self._constant(self._facts.known[source.node], array, "channels_last")
            self._constants[key] = Ref(created.name)
        return self._constants[key]

    def integers(self, array: Array, near: Ref) -> Ref:
        """Returns an integer constant for a reader of `near`, a tensor of the original graph."""
        key = (array.tobytes(), self._new_constants.place(near), array.shape)
        if key not in self._constants:
            created = self._new_constants.beside(near, self.name("convert_layout/order"), array)
            self.new.append(created)
            self._constants[key] = Ref(created.name)
        return self._constants[key]

    def reordered(self, source: Ref, order: Order) -> Ref:
        """Returns a tensor of the original graph with its rows permuted."""
        array = self._facts.constant(source)
        if array is not None:
            return self.replaced(source, np.ascontiguousarray(array[list(order)]))
        name = self.name(f"{source.node}/channels_last")
        return self.gathered(source, order, name, self._dtype(source), source)

    def gathered(self, source: Ref, order: Order, name: str, dtype: int, near: Ref) -> Ref:
        """Adds the node `name` that permutes the rows of `source`, which is of DataType `dtype`.

        `near` is a tensor of the original graph on which `source` depends, or `source` itself.
        """
        indices = self.integers(np.array(order, np.int32), near)
        axis = self.integers(np.array(0, np.int32), near)
        created = nodes.make("GatherV2", name, (source, indices, axis))
        for key, number in (("Tparams", dtype), ("Tindices", nodes.INT32), ("Taxis", nodes.INT32)):
            created.attr[key].type = number
        self.new.append(created)
        return Ref(created.name)
