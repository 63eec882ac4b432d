"""Recognizes one iteration of an LSTM. Pure.

Source: step in standard_lstm of keras/layers/rnn/lstm.py: the gates are the sum of a product of the input, a product of
the previous output, and an optional bias. The columns are in the order IFCO of BlockLSTMV2
(tensorflow/core/kernels/rnn/lstm_ops.h).
"""

from dataclasses import dataclass

import numpy as np

from tfcarve.prepare.control_flow.loop_values import ADDS, LoopValues
from tfcarve.prepare.control_flow.loops import Scope
from tfcarve.prepare.graph import nodes
from tfcarve.prepare.graph.graph import Ref, data_inputs
from tfcarve.prepare.graph.messages import NodeDef
from tfcarve.prepare.graph.tensors import Array
from tfcarve.prepare.recurrent.gates import read as read_gates

_MAX_TERMS = 8


@dataclass(frozen=True)
class Cell:
    """One iteration of an LSTM.

    Attributes:
      x: the input, the tensor [B, I] of the body.
      output: the output, the tensor [B, U] of the body.
      h: the number of the variable [B, U] with the previous output.
      c: the number of the variable [B, U] with the cell state.
      weights: [I + U, 4 U], the rows for the input first.
      bias: [4 U].
    """

    x: Ref
    output: Ref
    h: int
    c: int
    weights: Array
    bias: Array


def _terms(body: Scope, total: Ref) -> list[Ref]:
    """Returns the terms of the sum `total`, or an empty list if there are too many."""
    todo, found = [total], list[Ref]()
    while todo:
        source = todo.pop()
        source_node = body.producer(source, ADDS | {"BiasAdd"})
        if source_node is None:
            found.append(source)
        elif (
            len(data_inputs(source_node)) == 2
            and nodes.text(source_node, "data_format", "NHWC") == "NHWC"
        ):
            todo += data_inputs(source_node)
        else:
            return []
        if len(todo) + len(found) > _MAX_TERMS:
            return []
    return found


def _matrix(values: LoopValues, product: NodeDef) -> tuple[Ref, Array] | None:
    """Returns the input and the constant float32 matrix of a MatMul, or None."""
    read = data_inputs(product)
    if len(read) != 2 or nodes.flag(product, "transpose_a", False):
        return None
    value = values.constant(values.body, read[1])
    if value is None or value.dtype != np.float32 or value.ndim != 2:
        return None
    return read[0], value.T if nodes.flag(product, "transpose_b", False) else value


def _products(values: LoopValues, h: int, product: NodeDef) -> list[tuple[Ref, Array]] | None:
    """Returns the inputs and matrices of a MatMul: two if it reads a ConcatV2 of `h` and another tensor."""
    found = _matrix(values, product)
    source_node = values.body.producer(found[0], ("ConcatV2",)) if found is not None else None
    if found is None or source_node is None:
        return None if found is None else [found]
    read, matrix = data_inputs(source_node), found[1]
    if len(read) != 3 or values.integer(values.body, read[2]) not in (1, -1):
        return None
    units = matrix.shape[1] // 4
    index = units if values.body.variable(read[0]) == h else max(len(matrix) - units, 0)
    return [(read[0], matrix[:index]), (read[1], matrix[index:])]


def _parameters(
    parts: list[Array], biases: list[Array], order: tuple[int, ...]
) -> tuple[Array, Array] | None:
    """Returns weights and bias from the matrices for input and previous output, or None if shapes do not match."""
    matrix, recurrent = parts
    units = len(recurrent)
    if not units or recurrent.shape != (units, 4 * units) or matrix.shape[1] != 4 * units:
        return None
    if any(bias.shape not in ((4 * units,), (1, 4 * units)) for bias in biases):
        return None
    flat = [bias.reshape(-1) for bias in biases]
    bias = np.sum([np.zeros(4 * units, np.float32), *flat], axis=0)
    return _in_order(np.concatenate([matrix, recurrent]), order), _in_order(bias, order)


def _in_order(array: Array, order: tuple[int, ...]) -> Array:
    """Returns an array with its four parts along the last axis reordered."""
    parts = np.split(array, 4, axis=-1)
    return np.concatenate([parts[index] for index in order], axis=-1)


def read(values: LoopValues) -> Cell | None:
    """Returns the LSTM cell that a loop's body computes, or None if it computes something else.

    Raises InvalidInput if a constant is damaged.
    """
    gates = read_gates(values)
    if gates is None:
        return None
    inputs: list[tuple[Ref, Array]] = []
    recurrent: list[Array] = []
    biases: list[Array] = []
    for term in _terms(values.body, gates.total):
        product = values.body.producer(term, ("MatMul",))
        bias = values.constant(values.body, term) if product is None else None
        found = _products(values, gates.h, product) if product is not None else []
        if found is None or (product is None and (bias is None or bias.dtype != np.float32)):
            return None
        biases += [bias] if bias is not None else []
        recurrent += [own for source, own in found if values.body.variable(source) == gates.h]
        inputs += [part for part in found if values.body.variable(part[0]) != gates.h]
    if len(inputs) != 1 or len(recurrent) != 1:
        return None
    parameters = _parameters([inputs[0][1], recurrent[0]], biases, gates.order)
    if parameters is None:
        return None
    return Cell(inputs[0][0], gates.output, gates.h, gates.c, *parameters)
