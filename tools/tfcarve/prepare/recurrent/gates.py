"""Recognizes the gates of an LSTM in the body of a loop. Pure.

Source: step in standard_lstm of keras/layers/rnn/lstm.py: a matrix is split into the input, forget, cell and output
gates; the cell gate and the output go through tanh, the other gates through a sigmoid.
"""

from dataclasses import dataclass

from tfcarve.prepare.control_flow.loop_values import ADDS, LoopValues, pairs
from tfcarve.prepare.graph.graph import Ref, data_inputs
from tfcarve.prepare.graph.messages import NodeDef
from tfcarve.prepare.graph.tensors import Array

SPLITS = frozenset(("Split", "SplitV"))


@dataclass(frozen=True)
class Gates:
    """The gates of an LSTM.

    Attributes:
      h: the number of the variable with the previous output.
      c: the number of the variable with the cell state.
      output: the tensor of the body with the output.
      total: the tensor of the body whose columns are split into the gates.
      order: the parts that are the input, forget, cell and output gates.
    """

    h: int
    c: int
    output: Ref
    total: Ref
    order: tuple[int, ...]


def _gate(values: LoopValues, source: Ref, op: str) -> Ref | None:
    """Returns the input of an activation, or None if `source` is the output of another op."""
    source_node = values.body.producer(source, (op,))
    read = data_inputs(source_node) if source_node is not None else []
    return read[0] if len(read) == 1 else None


def _are_equal(sizes: Array | None) -> bool:
    return sizes is not None and sizes.shape == (4,) and bool((sizes == abs(sizes[0])).all())


def _total(values: LoopValues, split: NodeDef) -> Ref | None:
    """Returns the tensor whose columns a node splits into four equal parts, or None if it does something else."""
    read = data_inputs(split)
    if split.op == "Split":
        parts = split.attr["num_split"].i if "num_split" in split.attr else 0
        axis, total = (read[0], read[1]) if len(read) == 2 and parts == 4 else (None, None)
    else:
        equal = len(read) == 3 and _are_equal(values.constant(values.body, read[1]))
        axis, total = (read[2], read[0]) if equal else (None, None)
    is_columns = axis is not None and values.integer(values.body, axis) in (1, -1)
    return total if is_columns else None


def _split(values: LoopValues, gates: list[Ref | None]) -> tuple[Ref, tuple[int, ...]] | None:
    """Returns the tensor that is split into the four gates, and the part that each of `gates` is."""
    found = [values.body.origin(gate) for gate in gates if gate is not None]
    if len(found) != 4 or {gate.output for gate in found} != {0, 1, 2, 3}:
        return None
    names = {gate.node for gate in found}
    source_node = values.body.nodes.get(names.pop())
    if names or source_node is None or source_node.op not in SPLITS:
        return None
    total = _total(values, source_node)
    return None if total is None else (total, tuple(gate.output for gate in found))


def _with_cell(values: LoopValues, h: int, cell: Ref, last: Ref) -> Gates | None:
    """Returns the gates of an LSTM with output variable `h`, next cell state `cell` and output gate `last`."""
    body, variables = values.body, values.loop.variables
    for remembered, new in pairs(body, cell, ADDS):
        for forget, before in pairs(body, remembered, ("Mul",)):
            c = body.variable(before)
            if c is None or body.origin(variables[c].next) != cell:
                continue
            for input_gate, value in pairs(body, new, ("Mul",)):
                wanted = ((input_gate, "Sigmoid"), (forget, "Sigmoid"), (value, "Tanh"))
                split = _split(values, [*(_gate(values, *pair) for pair in wanted), last])
                if split is not None:
                    return Gates(h, c, body.origin(variables[h].next), *split)
    return None


def read(values: LoopValues) -> Gates | None:
    """Returns the gates of an LSTM, or None if no variable of the loop is the output of one."""
    for number, variable in enumerate(values.loop.variables):
        for gated, value in pairs(values.body, variable.next, ("Mul",)):
            last, cell = _gate(values, gated, "Sigmoid"), _gate(values, value, "Tanh")
            if last is None or cell is None:
                continue
            found = _with_cell(values, number, values.body.origin(cell), last)
            if found is not None:
                return found
    return None
