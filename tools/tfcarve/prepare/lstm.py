"""Recognises the loop of an LSTM by what it computes. Pure.

Source: standard_lstm in keras/layers/rnn/lstm.py, rnn in keras/backend.py: one product of the input and one of the last
output, a bias or none, four gates: input, forget, cell, output; the cell and the output go through tanh, the others
through a sigmoid. The order of columns is that of IFCO in tensorflow/core/kernels/rnn/lstm_ops.h, which BlockLSTMV2
has, and Keras too.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from tfcarve.prepare import nodes, tensors
from tfcarve.prepare.foldable import PASS_THROUGH
from tfcarve.prepare.graph import Ref, data_inputs
from tfcarve.prepare.loops import Loop, Scope
from tfcarve.prepare.messages import NodeDef
from tfcarve.prepare.tensors import Array

_ADDS = frozenset(("Add", "AddV2"))
_SPLITS = frozenset(("Split", "SplitV"))
# All that may be in the loop: no effects, no other loop, nothing that decides what runs.
_OPS = (
    frozenset(("BiasAdd", "ConcatV2", "Const", "Less", "LogicalAnd", "MatMul", "Mul", "NoOp"))
    | frozenset(("Sigmoid", "Tanh", "TensorListGetItem", "TensorListSetItem"))
    | frozenset(("Enter", "Exit", "LoopCond", "Merge", "NextIteration", "Switch"))
    | _ADDS
    | _SPLITS
    | PASS_THROUGH
)
_MOST_TERMS = 8
# A loop with more nodes, or variables, computes more than an LSTM.
_MOST_NODES = 1000


@dataclass(frozen=True)
class Lstm:
    """An LSTM that a loop computes.

    Attributes:
      x: the tensor [T, B, I] of which an iteration reads a row.
      h: the number of the variable [B, U] that is the output.
      c: the number of the variable [B, U] that is the cell.
      every: the numbers of the lists that get the output of each iteration; each has its size.
      last: the numbers of the lists of one tensor, which is the last output; each has the shape that it has.
      sizes: the tensors of the graph that are how many iterations there are.
      counts: the same, where they are constants.
      weights: [I + U, 4 U], first the rows for the input.
      bias: [4 U].
    """

    x: Ref
    h: int
    c: int
    every: dict[int, Ref]
    last: dict[int, Ref]
    sizes: tuple[Ref, ...]
    counts: tuple[int, ...]
    weights: Array
    bias: Array

    @property
    def units(self) -> int:
        """Returns U."""
        return len(self.bias) // 4

    @property
    def features(self) -> int:
        """Returns I."""
        return len(self.weights) - self.units


@dataclass(frozen=True)
class _Gates:
    """What the four gates are made of: the tensor that is split, and the order of the parts."""

    h: int
    c: int
    output: Ref
    split: NodeDef
    order: tuple[int, ...]


class _Reader:
    """A loop and the graph around it."""

    def __init__(self, loop: Loop, graph: Scope) -> None:
        self.loop = loop
        self.graph = graph
        self.body = loop.body

    def constant(self, scope: Scope, source: Ref) -> Array | None:
        """Returns the value of a tensor of the body or the condition; None where it is no constant."""
        number = scope.variable(source)
        if number is not None:
            if not self.loop.is_invariant(number):
                return None
            scope, source = self.graph, self.loop.variables[number].start
        found = scope.made_by(source, ("Const",))
        if found is None or not tensors.has_numbers(nodes.tensor(found).dtype):
            return None
        return nodes.value(found)

    def whole(self, scope: Scope, source: Ref) -> int | None:
        """Returns the value of a tensor that is one whole number; None where it is none."""
        value = self.constant(scope, source)
        if value is None or value.size != 1 or value.dtype.kind != "i":
            return None
        return int(value.reshape(-1)[0])

    def is_counter(self, number: int | None) -> bool:
        """Says whether a variable is 0, 1, 2 and so on."""
        if number is None:
            return False
        variable = self.loop.variables[number]
        start = self.graph.made_by(variable.start, ("Const",))
        if start is None or not _is_zero(start):
            return False
        return any(
            self.body.variable(a) == number and self.whole(self.body, b) == 1
            for a, b in _pairs(self.body, variable.next, _ADDS)
        )

    def inputs(self, source: Ref, op: str) -> Ref | None:
        """Returns the only input of the node of an op that `source` is; None where it is of another."""
        made = self.body.made_by(source, (op,))
        read = data_inputs(made) if made is not None else []
        return read[0] if len(read) == 1 else None


def _is_zero(start: NodeDef) -> bool:
    if nodes.tensor(start).dtype != nodes.INT32:
        return False
    value = nodes.value(start)
    return value.ndim == 0 and not value.any()


def _pairs(scope: Scope, source: Ref, ops: frozenset[str]) -> Iterator[tuple[Ref, Ref]]:
    """Yields the two inputs of the node of one of `ops` that `source` is, in both orders."""
    made = scope.made_by(source, ops)
    read = data_inputs(made) if made is not None else []
    if len(read) == 2:
        yield read[0], read[1]
        yield read[1], read[0]


_MUL = frozenset(("Mul",))


def _gates(reader: _Reader) -> _Gates | None:
    """Returns the gates of an LSTM; None where no variable of the loop is the output of one."""
    for number, variable in enumerate(reader.loop.variables):
        for outer, inner in _pairs(reader.body, variable.next, _MUL):
            opened, cell = reader.inputs(outer, "Sigmoid"), reader.inputs(inner, "Tanh")
            found = None
            if opened is not None and cell is not None:
                found = _with_cell(reader, number, reader.body.origin(cell), opened)
            if found is not None:
                return found
    return None


def _with_cell(reader: _Reader, h: int, cell: Ref, opened: Ref) -> _Gates | None:
    """Returns the gates where `cell` is the next cell of an LSTM whose output is the variable `h`."""
    body = reader.body
    for kept, new in _pairs(body, cell, _ADDS):
        for forget, before in _pairs(body, kept, _MUL):
            c = body.variable(before)
            if c is None or body.origin(reader.loop.variables[c].next) != cell:
                continue
            for let_in, value in _pairs(body, new, _MUL):
                parts = [
                    reader.inputs(let_in, "Sigmoid"),
                    reader.inputs(forget, "Sigmoid"),
                    reader.inputs(value, "Tanh"),
                    opened,
                ]
                split = _split(reader, parts)
                if split is not None:
                    output = body.origin(reader.loop.variables[h].next)
                    return _Gates(h, c, output, *split)
    return None


def _split(reader: _Reader, parts: list[Ref | None]) -> tuple[NodeDef, tuple[int, ...]] | None:
    """Returns the node that splits columns in four equal parts, and which of them each of `parts` is."""
    found = [reader.body.origin(part) for part in parts if part is not None]
    if len(found) != 4 or {part.output for part in found} != {0, 1, 2, 3}:
        return None
    names = {part.node for part in found}
    made = reader.body.nodes.get(names.pop())
    if names or made is None or made.op not in _SPLITS:
        return None
    read = data_inputs(made)
    axis = read[0] if made.op == "Split" else read[-1]
    if len(read) != (2 if made.op == "Split" else 3) or reader.whole(reader.body, axis) not in (
        1,
        -1,
    ):
        return None
    if made.op == "SplitV":
        sizes = reader.constant(reader.body, read[1])
        if sizes is None or sizes.shape != (4,) or len(set(sizes.tolist())) != 1 or sizes[0] < 0:
            return None
    elif "num_split" not in made.attr or made.attr["num_split"].i != 4:
        return None
    return made, tuple(part.output for part in found)


def _terms(body: Scope, total: Ref) -> list[Ref] | None:
    """Returns what is added up to `total`; None where that are too many."""
    todo, found = [total], list[Ref]()
    while todo:
        source = todo.pop()
        made = body.made_by(source, _ADDS | {"BiasAdd"})
        if made is None:
            found.append(source)
        elif len(data_inputs(made)) == 2 and nodes.text(made, "data_format", "NHWC") == "NHWC":
            todo += data_inputs(made)
        else:
            return None
        if len(todo) + len(found) > _MOST_TERMS:
            return None
    return found


def _matrix(reader: _Reader, product: NodeDef) -> tuple[Ref, Array] | None:
    """Returns what a MatMul multiplies with which constant matrix of floats."""
    read = data_inputs(product)
    if len(read) != 2 or nodes.flag(product, "transpose_a", False):
        return None
    value = reader.constant(reader.body, read[1])
    if value is None or value.dtype != np.float32 or value.ndim != 2:
        return None
    return read[0], value.T if nodes.flag(product, "transpose_b", False) else value


@dataclass
class _Sums:
    """What the terms of the gates are, as far as they are read: `x` is one for the input, `h` one for the output."""

    x: list[tuple[Ref, Array]]
    h: list[Array]
    bias: list[Array]


def _joined(reader: _Reader, source: Ref) -> list[Ref]:
    """Returns the two tensors whose columns a ConcatV2 puts side by side; else `source` itself."""
    made = reader.body.made_by(source, ("ConcatV2",))
    read = data_inputs(made) if made is not None else []
    if len(read) == 3 and reader.whole(reader.body, read[2]) in (1, -1):
        return read[:2]
    return [source]


def _add_product(reader: _Reader, h: int, product: NodeDef, sums: _Sums) -> bool:
    """Adds the parts of a product to `sums`; says whether it is one of the input or of the output."""
    found = _matrix(reader, product)
    if found is None:
        return False
    parts, matrix = _joined(reader, found[0]), found[1]
    are_h = [reader.body.variable(part) == h for part in parts]
    units = matrix.shape[1] // 4
    if len(parts) == 2:
        rows = units if are_h[0] else len(matrix) - units
        if are_h[0] == are_h[1] or not 0 <= rows <= len(matrix):
            return False
        matrices = [matrix[:rows], matrix[rows:]]
    else:
        matrices = [matrix]
    for part, is_h, own in zip(parts, are_h, matrices, strict=True):
        if is_h:
            sums.h.append(own)
        else:
            sums.x.append((part, own))
    return True


def _sums(reader: _Reader, gates: _Gates) -> _Sums | None:
    """Returns the terms of what is split; None where one is neither a product nor a constant."""
    read = data_inputs(gates.split)
    terms = _terms(reader.body, read[1] if gates.split.op == "Split" else read[0])
    sums = _Sums([], [], [])
    for term in terms or ():
        product = reader.body.made_by(term, ("MatMul",))
        if product is None:
            bias = reader.constant(reader.body, term)
            if bias is None or bias.dtype != np.float32:
                return None
            sums.bias.append(bias)
        elif not _add_product(reader, gates.h, product, sums):
            return None
    return sums if len(sums.x) == len(sums.h) == 1 else None


def _in_order(array: Array, order: tuple[int, ...]) -> Array:
    """Returns an array with the columns of its four parts in another order."""
    parts = np.split(array, 4, axis=-1)
    return np.concatenate([parts[place] for place in order], axis=-1)


def _parameters(sums: _Sums, order: tuple[int, ...]) -> tuple[Array, Array] | None:
    """Returns weights and bias; None where shapes do not fit each other."""
    matrix, recurrent = sums.x[0][1], sums.h[0]
    units = len(recurrent)
    if not units or recurrent.shape != (units, 4 * units) or matrix.shape[1] != 4 * units:
        return None
    if any(bias.shape not in ((4 * units,), (1, 4 * units)) for bias in sums.bias):
        return None
    bias = np.zeros(4 * units, np.float32)
    for term in sums.bias:
        bias = bias + term.reshape(-1)
    return _in_order(np.concatenate([matrix, recurrent]), order), _in_order(bias, order)


def _row_of(reader: _Reader, source: Ref) -> Ref | None:
    """Returns the tensor of the graph whose row number 0, 1, 2 … `source` is."""
    got = reader.body.made_by(source, ("TensorListGetItem",))
    read = data_inputs(got) if got is not None else []
    if len(read) != 3 or not reader.is_counter(reader.body.variable(read[1])):
        return None
    number = reader.body.variable(read[0])
    if number is None or not reader.loop.is_invariant(number):
        return None
    start = reader.loop.variables[number].start
    rows = reader.graph.made_by(start, ("TensorListFromTensor",))
    return data_inputs(rows)[0] if rows is not None and len(data_inputs(rows)) == 2 else None


def _lists(reader: _Reader, output: Ref) -> tuple[dict[int, Ref], dict[int, Ref]]:
    """Returns the lists that get every output, with their sizes, and those that have the last one only, with its shape."""
    every: dict[int, Ref] = {}
    last: dict[int, Ref] = {}
    for number, variable in enumerate(reader.loop.variables):
        put = reader.body.made_by(variable.next, ("TensorListSetItem",))
        read = data_inputs(put) if put is not None else []
        made = reader.graph.made_by(variable.start, ("TensorListReserve",))
        sizes = data_inputs(made) if made is not None else []
        if len(read) != 3 or len(sizes) != 2 or reader.body.variable(read[0]) != number:
            continue
        if reader.body.origin(read[2]) != output:
            continue
        if reader.is_counter(reader.body.variable(read[1])):
            every[number] = sizes[1]
        elif reader.whole(reader.body, read[1]) == 0 and reader.whole(reader.graph, sizes[1]) == 1:
            last[number] = sizes[0]
    return every, last


def _bounds(reader: _Reader) -> tuple[tuple[Ref, ...], tuple[int, ...]] | None:
    """Returns what a counter has to be less than for another iteration: tensors of the graph and constants."""
    tests = reader.loop.tests
    todo, sizes, counts = [reader.loop.condition], list[Ref](), list[int]()
    while todo:
        source = todo.pop()
        both = tests.made_by(source, ("LogicalAnd",))
        less = tests.made_by(source, ("Less",))
        made = less if both is None else both
        read = data_inputs(made) if made is not None else []
        if len(read) != 2 or len(todo) + len(sizes) + len(counts) > _MOST_TERMS:
            return None
        if both is not None:
            todo += read
            continue
        count, number = reader.whole(tests, read[1]), tests.variable(read[1])
        if not reader.is_counter(tests.variable(read[0])):
            return None
        if count is not None:
            counts.append(count)
        elif number is not None and reader.loop.is_invariant(number):
            sizes.append(reader.graph.origin(reader.loop.variables[number].start))
        else:
            return None
    return tuple(sizes), tuple(counts)


def read(loop: Loop, graph: Scope) -> Lstm | None:
    """Returns the LSTM that a loop computes; None where it computes another thing.

    Args:
      loop: the loop.
      graph: the nodes around it whose values no app gives.
    Raises BadInput where a constant is damaged.
    """
    listed = [node for scope in (loop.tests, loop.body) for node in scope.nodes.values()]
    if max(len(listed), len(loop.variables)) > _MOST_NODES:
        return None
    if any(node.op not in _OPS for node in listed):
        return None
    reader = _Reader(loop, graph)
    gates, bounds = _gates(reader), _bounds(reader)
    sums = _sums(reader, gates) if gates is not None and bounds is not None else None
    if gates is None or bounds is None or sums is None:
        return None
    x = _row_of(reader, sums.x[0][0])
    parameters = _parameters(sums, gates.order)
    if x is None or parameters is None:
        return None
    every, last = _lists(reader, gates.output)
    return Lstm(x, gates.h, gates.c, every, last, *bounds, *parameters)
