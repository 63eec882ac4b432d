"""Recognises the loop of an LSTM: what it reads, how often it runs, what it gives. Pure.

Source: rnn in keras/backend.py: rows of a tensor in a list, a counter, and a list of all outputs or of the last one.
"""

from dataclasses import dataclass

from tfcarve.prepare import lstm_cell
from tfcarve.prepare.foldable import PASS_THROUGH
from tfcarve.prepare.graph import Ref, data_inputs
from tfcarve.prepare.loop_values import ADDS, LoopValues
from tfcarve.prepare.loops import Loop, Scope
from tfcarve.prepare.lstm_cell import Cell
from tfcarve.prepare.lstm_gates import SPLITS

# All that may be in the loop: no effects, no other loop, nothing that decides what runs.
_OPS = (
    frozenset(("BiasAdd", "ConcatV2", "Const", "Less", "LogicalAnd", "MatMul", "Mul", "NoOp"))
    | frozenset(("Sigmoid", "Tanh", "TensorListGetItem", "TensorListSetItem"))
    | frozenset(("Enter", "Exit", "LoopCond", "Merge", "NextIteration", "Switch"))
    | ADDS
    | SPLITS
    | PASS_THROUGH
)
_MOST_TESTS = 8
# A loop with more nodes, or variables, computes more than an LSTM.
_MOST_NODES = 1000


@dataclass(frozen=True)
class Lstm:
    """An LSTM that a loop computes.

    Attributes:
      x: the tensor [T, B, I] of which an iteration reads a row.
      cell: the iteration.
      every: the numbers of the lists that get the output of each iteration; each has its size.
      last: the numbers of the lists of one tensor, which is the last output; each has the shape that it has.
      sizes: the tensors of the graph that are how many iterations there are.
      counts: the same, where they are constants.
    """

    x: Ref
    cell: Cell
    every: dict[int, Ref]
    last: dict[int, Ref]
    sizes: tuple[Ref, ...]
    counts: tuple[int, ...]

    @property
    def units(self) -> int:
        """Returns U."""
        return len(self.cell.bias) // 4

    @property
    def features(self) -> int:
        """Returns I."""
        return len(self.cell.weights) - self.units


def _row_of(values: LoopValues, source: Ref) -> Ref | None:
    """Returns the tensor of the graph whose row number 0, 1, 2 … `source` is."""
    got = values.body.made_by(source, ("TensorListGetItem",))
    read = data_inputs(got) if got is not None else []
    if len(read) != 3 or not values.is_counter(values.body.variable(read[1])):
        return None
    number = values.body.variable(read[0])
    if number is None or not values.loop.is_invariant(number):
        return None
    start = values.loop.variables[number].start
    rows = values.graph.made_by(start, ("TensorListFromTensor",))
    return data_inputs(rows)[0] if rows is not None and len(data_inputs(rows)) == 2 else None


def _lists(values: LoopValues, output: Ref) -> tuple[dict[int, Ref], dict[int, Ref]]:
    """Returns the lists that get every output, with their sizes, and those that have the last one only, with its shape."""
    every: dict[int, Ref] = {}
    last: dict[int, Ref] = {}
    for number, variable in enumerate(values.loop.variables):
        put = values.body.made_by(variable.next, ("TensorListSetItem",))
        read = data_inputs(put) if put is not None else []
        made = values.graph.made_by(variable.start, ("TensorListReserve",))
        sizes = data_inputs(made) if made is not None else []
        if len(read) != 3 or len(sizes) != 2 or values.body.variable(read[0]) != number:
            continue
        if values.body.origin(read[2]) != output:
            continue
        if values.is_counter(values.body.variable(read[1])):
            every[number] = sizes[1]
        elif values.whole(values.body, read[1]) == 0 and values.whole(values.graph, sizes[1]) == 1:
            last[number] = sizes[0]
    return every, last


def _bounds(values: LoopValues) -> tuple[tuple[Ref, ...], tuple[int, ...]] | None:
    """Returns what a counter has to be less than for another iteration: tensors of the graph and constants."""
    tests = values.loop.tests
    todo, sizes, counts = [values.loop.condition], list[Ref](), list[int]()
    while todo:
        source = todo.pop()
        both = tests.made_by(source, ("LogicalAnd",))
        less = tests.made_by(source, ("Less",))
        made = less if both is None else both
        read = data_inputs(made) if made is not None else []
        if len(read) != 2 or len(todo) + len(sizes) + len(counts) > _MOST_TESTS:
            return None
        if both is not None:
            todo += read
            continue
        count, number = values.whole(tests, read[1]), tests.variable(read[1])
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
    """Returns the LSTM that a loop computes; None where it computes another thing.

    Args:
      loop: the loop.
      graph: the nodes around it whose values no app gives.
    Raises InvalidInput where a constant is damaged.
    """
    if max(len(loop.tests.nodes), len(loop.body.nodes), len(loop.variables)) > _MOST_NODES:
        return None
    if any(n.op not in _OPS for s in (loop.tests, loop.body) for n in s.nodes.values()):
        return None
    values = LoopValues(loop, graph)
    cell, bounds = lstm_cell.read(values), _bounds(values)
    x = _row_of(values, cell.x) if cell is not None else None
    if cell is None or bounds is None or x is None:
        return None
    every, last = _lists(values, cell.output)
    return Lstm(x, cell, every, last, *bounds)
