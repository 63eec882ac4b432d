"""Recognizes the loop of an LSTM: its input, number of iterations and outputs. Pure.

Source: rnn in keras/backend.py: a list with the rows of a tensor, a counter, and a list of all outputs or of the last
output.
"""

from dataclasses import dataclass

from tfcarve.prepare.control_flow.loop_values import ADDS, LoopValues
from tfcarve.prepare.control_flow.loops import Loop, Scope
from tfcarve.prepare.evaluate.foldable import PASS_THROUGH
from tfcarve.prepare.graph.graph import Ref, data_inputs
from tfcarve.prepare.recurrent.cell import Cell
from tfcarve.prepare.recurrent.cell import read as read_cell
from tfcarve.prepare.recurrent.gates import SPLITS

# The ops that the loop may have: no side effects, no nested loops, no branches.
_OPS = (
    frozenset(("BiasAdd", "ConcatV2", "Const", "Less", "LogicalAnd", "MatMul", "Mul", "NoOp"))
    | frozenset(("Sigmoid", "Tanh", "TensorListGetItem", "TensorListSetItem"))
    | frozenset(("Enter", "Exit", "LoopCond", "Merge", "NextIteration", "Switch"))
    | ADDS
    | SPLITS
    | PASS_THROUGH
)
_MAX_TESTS = 8
# A loop with more nodes, or variables, computes more than an LSTM.
_MAX_NODES = 1000


@dataclass(frozen=True)
class Lstm:
    """An LSTM that a loop computes.

    Attributes:
      x: the input [T, B, I]; each iteration reads a row.
      cell: one iteration.
      every: the list variables that get the output of each iteration, with the tensor of their size.
      last: the list variables of one element, the last output, with the tensor of the element's shape.
      sizes: the tensors of the graph that bound the number of iterations.
      counts: the constants that bound the number of iterations.
    """

    x: Ref
    cell: Cell
    every: dict[int, Ref]
    last: dict[int, Ref]
    sizes: tuple[Ref, ...]
    counts: tuple[int, ...]

    @property
    def units(self) -> int:
        """The number of units U."""
        return len(self.cell.bias) // 4

    @property
    def features(self) -> int:
        """The number of input features I."""
        return len(self.cell.weights) - self.units


def _row_of(values: LoopValues, source: Ref) -> Ref | None:
    """Returns the tensor of the graph whose rows 0, 1, 2, … `source` takes one after the other, or None."""
    got = values.body.producer(source, ("TensorListGetItem",))
    read = data_inputs(got) if got is not None else []
    if len(read) != 3 or not values.is_counter(values.body.variable(read[1])):
        return None
    number = values.body.variable(read[0])
    if number is None or not values.loop.is_invariant(number):
        return None
    start = values.loop.variables[number].start
    rows = values.graph.producer(start, ("TensorListFromTensor",))
    return data_inputs(rows)[0] if rows is not None and len(data_inputs(rows)) == 2 else None


def _lists(values: LoopValues, output: Ref) -> tuple[dict[int, Ref], dict[int, Ref]]:
    """Returns the lists with all outputs and their sizes, and the lists with only the last output and its shape."""
    every: dict[int, Ref] = {}
    last: dict[int, Ref] = {}
    for number, variable in enumerate(values.loop.variables):
        put = values.body.producer(variable.next, ("TensorListSetItem",))
        read = data_inputs(put) if put is not None else []
        source_node = values.graph.producer(variable.start, ("TensorListReserve",))
        sizes = data_inputs(source_node) if source_node is not None else []
        if len(read) != 3 or len(sizes) != 2 or values.body.variable(read[0]) != number:
            continue
        if values.body.origin(read[2]) != output:
            continue
        if values.is_counter(values.body.variable(read[1])):
            every[number] = sizes[1]
        elif (
            values.integer(values.body, read[1]) == 0
            and values.integer(values.graph, sizes[1]) == 1
        ):
            last[number] = sizes[0]
    return every, last


def _bounds(values: LoopValues) -> tuple[tuple[Ref, ...], tuple[int, ...]] | None:
    """Returns the upper bounds of the counter in the loop condition: tensors of the graph and constants."""
    tests = values.loop.tests
    todo, sizes, counts = [values.loop.condition], list[Ref](), list[int]()
    while todo:
        source = todo.pop()
        both = tests.producer(source, ("LogicalAnd",))
        less = tests.producer(source, ("Less",))
        source_node = less if both is None else both
        read = data_inputs(source_node) if source_node is not None else []
        if len(read) != 2 or len(todo) + len(sizes) + len(counts) > _MAX_TESTS:
            return None
        if both is not None:
            todo += read
            continue
        count, number = values.integer(tests, read[1]), tests.variable(read[1])
        if not values.is_counter(tests.variable(read[0])):
            return None
        if count is not None:
            counts.append(count)
        elif number is not None and values.loop.is_invariant(number):
            sizes.append(values.graph.origin(values.loop.variables[number].start))
        else:
            return None
    return tuple(sizes), tuple(counts)


def read(loop: Loop, graph: Scope) -> Lstm | None:
    """Returns the LSTM that a loop computes, or None if it computes something else.

    Args:
      loop: the loop.
      graph: the graph around it, without the nodes that the app feeds.
    Raises InvalidInput if a constant is damaged.
    """
    if max(len(loop.tests.nodes), len(loop.body.nodes), len(loop.variables)) > _MAX_NODES:
        return None
    if any(n.op not in _OPS for s in (loop.tests, loop.body) for n in s.nodes.values()):
        return None
    values = LoopValues(loop, graph)
    cell, bounds = read_cell(values), _bounds(values)
    x = _row_of(values, cell.x) if cell is not None else None
    if cell is None or bounds is None or x is None:
        return None
    every, last = _lists(values, cell.output)
    return Lstm(x, cell, every, last, *bounds)
