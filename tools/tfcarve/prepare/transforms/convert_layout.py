"""convert_layout: converts convolutions and the nodes around them to channels last (NCHW to NHWC).

Not in TensorFlow's tool. On CPUs only oneDNN has kernels for channels first; otherwise a session converts the graph in
tensorflow/core/grappler/optimizers/generic_layout_optimizer.cc. This transform transposes constants in the file, and
leaves Transposes only where tensors enter or leave layout-agnostic nodes. Two consecutive Transposes become one or
none. Inputs and outputs keep their shapes.
"""

from collections.abc import Mapping, Sequence

import numpy as np

from tfcarve.prepare.context import Context
from tfcarve.prepare.evaluate import inference
from tfcarve.prepare.graph import nodes
from tfcarve.prepare.graph.graph import (
    CONTROL,
    Graph,
    Ref,
    by_name,
    consumer_counts,
    control_inputs,
    data_inputs,
    set_inputs,
    topological_order,
)
from tfcarve.prepare.graph.messages import NodeDef
from tfcarve.prepare.graph.unused import without_unused
from tfcarve.prepare.layout.choice import choose
from tfcarve.prepare.layout.layouts import FORMATS, Facts, Order, Plan, to_last, to_second
from tfcarve.prepare.layout.views import Views

PARAMETERS = frozenset[str]()
IN_FUNCTIONS = True
NEEDS_TENSORFLOW = True
CAN_BREAK_GRAPHS = False

# Ops of nodes that are removed when they have no consumers left.
_REPLACED = frozenset(("Const", "Identity", "Transpose"))


class _Rewriter:
    def __init__(self, facts: Facts, plans: Mapping[str, Plan], context: Context) -> None:
        self._facts = facts
        self._plans = plans
        self._output_nodes = context.output_nodes()
        self._views = Views(facts)
        self._listed: list[NodeDef] = []

    def nodes(self, order: Sequence[NodeDef]) -> list[NodeDef]:
        """Returns the replacements of the nodes in `order`."""
        for node in order:
            created = node if node.op == "Const" else nodes.copy(node)
            if node.name in self._plans:
                self._convert(node, created, self._plans[node.name])
            elif self._views.perm(node) is not None:
                self._transpose(node, created)
            else:
                self._set_inputs(created, [self._as_read(source) for source in data_inputs(node)])
        return self._listed

    def _set_inputs(self, created: NodeDef, read: Sequence[Ref]) -> None:
        """Adds a node with the inputs `read`, after the new nodes that it needs."""
        set_inputs(created, [*read, *(Ref(name, CONTROL) for name in control_inputs(created))])
        self._flush()
        self._listed.append(created)

    def _flush(self) -> None:
        self._listed += self._views.new
        self._views.new.clear()

    def _convert(self, node: NodeDef, created: NodeDef, plan: Plan) -> None:
        sources = data_inputs(node)
        rank = self._facts.rank(sources[plan.reads[0]]) or len(nodes.text(node, "data_format"))
        read = [self._converted(source, index, plan, rank) for index, source in enumerate(sources)]
        for key, value in plan.attrs.items():
            nodes.set_attr(created, key, value)
        created.attr.pop("_output_shapes", None)
        if plan.gives_dims or (plan.gives and node.name in self._output_nodes):
            created.name = self._views.name(f"{node.name}/channels_last")
        self._set_inputs(created, read)
        for output in plan.gives:
            self._views.set_last(Ref(node.name, output), Ref(created.name, output))
        if plan.gives_dims:
            dtype = nodes.dtype(node, "out_type") or nodes.INT32
            to = to_second(rank)
            self._views.gathered(Ref(created.name), to, node.name, dtype, sources[0])
        elif plan.gives and node.name in self._output_nodes:
            self._add_output(node, created, plan)
        self._flush()

    def _converted(self, source: Ref, index: int, plan: Plan, rank: int) -> Ref:
        """Returns the input number `index` of a converted node."""
        if index in plan.reads:
            return self._views.transposed(source, to_last(rank))
        if index in plan.permuted:
            return self._views.reordered(source, to_last(rank))
        if index in plan.constants:
            return self._views.replaced(source, plan.constants[index])
        return self._as_read(source)

    def _add_output(self, node: NodeDef, created: NodeDef, plan: Plan) -> None:
        """Adds a node with the name and layout of `node`, which is fetched, after its converted node."""
        outputs = self._facts.outputs[node.name]
        if len(outputs) == 1:
            self._as_read(Ref(node.name), node.name)
            return
        read = [
            self._as_read(Ref(node.name, index))
            if index in plan.gives
            else Ref(created.name, index)
            for index in range(len(outputs))
        ]
        same = nodes.make("IdentityN", node.name, read)
        same.attr["T"].list.type.extend(output.dtype for output in outputs)
        self._views.new.append(same)

    def _transpose(self, node: NodeDef, created: NodeDef) -> None:
        read, perm_source = data_inputs(node)
        perm = self._views.perm(node)
        assert perm is not None
        source, order = self._views.add(Ref(node.name), read, perm)
        if order == tuple(range(len(order))):
            created.op = "Identity"
            created.attr.pop("Tperm", None)
            self._set_inputs(created, [source])
            return
        if order != perm:
            array = self._facts.constant(perm_source)
            assert array is not None
            perm_source = self._views.replaced(perm_source, np.array(order, array.dtype))
        self._set_inputs(created, [source, perm_source])

    def _as_read(self, source: Ref, name: str = "") -> Ref:
        """Returns `source` in its original layout for a node that is not converted; a new Transpose gets `name`."""
        rank = self._facts.rank(source)
        if rank is None or not (self._views.is_last(source) or self._is_transpose(source)):
            return source
        same: Order = tuple(range(rank))
        return self._views.transposed(source, same, name)

    def _is_transpose(self, source: Ref) -> bool:
        return self._views.perm(self._facts.known[source.node]) is not None


def apply(graph: Graph, context: Context) -> Graph:
    """Converts the graph to channels last; raises InvalidInput if a constant is damaged."""
    if not any(nodes.text(node, "data_format") in FORMATS for node in graph.nodes):
        return graph
    facts = Facts(
        by_name(graph), inference.outputs(graph, context.evaluator), context.input_nodes()
    )
    order = topological_order(graph)
    plans = choose(order, facts, context.output_nodes())
    if not plans:
        return graph
    was_read = consumer_counts(graph)
    created = graph.with_nodes(_Rewriter(facts, plans, context).nodes(order))
    return without_unused(created, _REPLACED, was_read, context.preserved())
