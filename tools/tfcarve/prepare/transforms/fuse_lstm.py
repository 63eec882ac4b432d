"""fuse_lstm: replaces the loop of an LSTM with one BlockLSTMV2.

Source: tensorflow/core/ops/rnn_ops.cc, tensorflow/core/kernels/rnn/lstm_ops.{h,cc}. With cell_clip = 0 the kernel does
not clip. Unlike the loop, it does not broadcast an initial state with one row to a larger batch: a state with an
unknown first dimension must have the batch size of x when the graph runs. Loops in function bodies are not replaced.
"""

from collections.abc import Mapping, Sequence

import numpy as np

from tfcarve.prepare.context import Context
from tfcarve.prepare.control_flow import loop_reader, while_loops
from tfcarve.prepare.control_flow.constants import Constants
from tfcarve.prepare.control_flow.loops import Scope
from tfcarve.prepare.evaluate import inference
from tfcarve.prepare.graph import functions, nodes
from tfcarve.prepare.graph.graph import (
    CONTROL,
    Graph,
    Ref,
    by_name,
    consumer_counts,
    consumers,
    control_inputs,
    rewire,
    unique_name,
)
from tfcarve.prepare.graph.messages import AttrValue, NodeDef
from tfcarve.prepare.graph.tensors import Array
from tfcarve.prepare.graph.unused import without_unused
from tfcarve.prepare.recurrent import lstm
from tfcarve.prepare.recurrent.plan import LoopContext, Plan, Result, plan

PARAMETERS = frozenset[str]()
IN_FUNCTIONS = False
NEEDS_TENSORFLOW = True
CAN_BREAK_GRAPHS = False

_INT64 = 9
_STACK = "TensorListStack"


class _NodeBuilder:
    """Creates the nodes that replace a loop."""

    def __init__(
        self,
        replaced: Plan,
        known: Mapping[str, NodeDef],
        taken: set[str],
        constants: Constants,
    ) -> None:
        """Sets the plan, the nodes of the graph by name, and the names that new nodes may not have."""
        self._plan = replaced
        self._constants = constants
        self._known = known
        self._taken = taken
        self._name = unique_name(f"{replaced.loop.name}/lstm", taken)
        self._row: list[Ref] | None = None
        self.created: list[NodeDef] = []
        self.replacements: dict[Ref, Ref] = {}

    def _constant(self, name: str, array: Array) -> Ref:
        name = unique_name(f"{self._name}/{name}", self._taken)
        created = self._constants.beside(self._plan.lstm.x, name, array)
        self.created.append(created)
        return Ref(created.name)

    def _steps(self) -> Ref:
        """Returns the number of iterations as int64."""
        if self._plan.steps >= 0:
            return self._constant("steps", np.array(self._plan.steps, np.int64))
        types = {"SrcT": nodes.type_value(nodes.INT32), "DstT": nodes.type_value(_INT64)}
        name = unique_name(f"{self._name}/steps", self._taken)
        self.created.append(nodes.make("Cast", name, self._plan.lstm.sizes[:1], **types))
        return Ref(name)

    def add_loop(self) -> None:
        """Adds the BlockLSTMV2."""
        loop, found = self._plan.loop, self._plan.lstm
        steps = self._steps()
        weights = self._constant("weights", found.cell.weights)
        peephole = self._constant("peephole", np.zeros(found.units, np.float32))
        bias = self._constant("bias", found.cell.bias)
        c, h = (loop.variables[number].start for number in (found.cell.c, found.cell.h))
        control = [Ref(name, CONTROL) for name in loop.control_inputs]
        created = nodes.make(
            "BlockLSTMV2",
            self._name,
            [steps, found.x, c, h, weights, peephole, peephole, peephole, bias, *control],
            T=nodes.type_value(nodes.FLOAT),
            cell_clip=AttrValue(f=0.0),
            use_peephole=AttrValue(b=False),
        )
        created.device = loop.device
        self.created.append(created)

    def add_result(self, result: Result) -> None:
        """Adds the replacement of a result, with the name of the removed node that computed it."""
        source, old = Ref(self._name, result.output), self._known[result.tensor.node]
        control = [Ref(name, CONTROL) for name in control_inputs(old) if old.op == _STACK]
        if result.rows == "all" and not result.stays:
            self.replacements[result.tensor] = source
            return
        name = old.name
        if old.op in while_loops.OPS:
            name = unique_name(f"{self._name}/last", self._taken)
            self.replacements[result.tensor] = Ref(name)
        if result.rows == "all":
            dtype = nodes.type_value(nodes.FLOAT)
            self.created.append(nodes.make("Identity", name, [source, *control], T=dtype))
            return
        if self._row is None:
            values = {"begin": -1, "strides": 1}
            self._row = [
                self._constant(f"last/{k}", np.array([v], np.int32)) for k, v in values.items()
            ]
        begin, strides = self._row
        # With either mask the kernel ignores the end, so `begin` is passed for it.
        mask = "shrink_axis_mask" if result.rows == "last" else "end_mask"
        types = {"T": nodes.FLOAT, "Index": nodes.INT32}
        attrs = {key: nodes.type_value(number) for key, number in types.items()}
        created = nodes.make(
            "StridedSlice", name, [source, begin, begin, strides, *control], **attrs
        )
        nodes.set_attr(created, mask, AttrValue(i=1))
        self.created.append(created)


def _plans(graph: Graph, context: Context) -> list[Plan]:
    """Returns the replacements of loops; a loop whose size is known only after another replacement is found later."""
    op_defs = context.evaluator.op_defs
    fed, known = context.input_nodes(), by_name(graph)
    scope = Scope({name: node for name, node in known.items() if name not in fed}, {})
    found = [(loop, lstm.read(loop, scope)) for loop in loop_reader.read(graph, op_defs)]
    lstms = [(loop, own) for loop, own in found if own is not None]
    if not lstms:
        return []
    outputs = inference.outputs(graph, context.evaluator)
    loop_context = LoopContext(scope, consumers(graph), context.output_nodes(), outputs)
    plans = [plan(loop, own, loop_context) for loop, own in lstms]
    return [planned for planned in plans if planned is not None]


def _replaced(graph: Graph, plans: Sequence[Plan], context: Context) -> Graph:
    """Replaces the loops of `plans`."""
    known, was_read = by_name(graph), consumer_counts(graph)
    own = {name for planned in plans for name in planned.loop.own}
    removed = own | {result.tensor.node for planned in plans for result in planned.results}
    taken, constants = set(known), Constants(graph.nodes)
    places: dict[str, list[NodeDef]] = {}
    replacements: dict[Ref, Ref] = {}
    for planned in plans:
        builder = _NodeBuilder(planned, known, taken, constants)
        builder.add_loop()
        for result in planned.results:
            builder.add_result(result)
        places[min(planned.loop.own)] = builder.created
        replacements.update(builder.replacements)
    listed: list[NodeDef] = []
    for node in graph.nodes:
        listed += places.get(node.name, [] if node.name in removed else [node])
    rewire(listed, replacements)
    replaced = graph.with_nodes(listed)
    op_defs = context.evaluator.op_defs
    ops = {node.op for node in listed if node.op in op_defs and not op_defs[node.op].is_stateful}
    read = without_unused(replaced, ops, was_read, context.preserved())
    return Graph(read.nodes, functions.used_functions(read), graph.versions)


def apply(graph: Graph, context: Context) -> Graph:
    """Replaces each loop that is an LSTM which BlockLSTMV2 supports.

    Removes the nodes and functions that only the loop used.

    Raises InvalidInput if a constant is damaged, evaluate.Failed if TensorFlow can't infer shapes.
    """
    while any(node.op in loop_reader.OPS for node in graph.nodes):
        plans = _plans(graph, context)
        if not plans:
            break
        graph = _replaced(graph, plans, context)
    return graph
