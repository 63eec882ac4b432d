"""Random graphs with conditions, loops and calls of functions, as TensorFlow 1 and TensorFlow 2 write them.

A program is a list of statements. Each appends a value to a list of vectors: the result of an op, of a condition, of a loop or of
a call, whose bodies are programs. The last value of the main program is the output.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import tensorflow as tf
from hypothesis import strategies as st

from models import frozen

SIZE = 3
_MOST_ITERATIONS = 3
# Few, because each is compiled for a plan and for a session.
_OPS: Sequence[Callable[[Any, Any], Any]] = (
    tf.add,
    tf.subtract,
    tf.multiply,
    lambda x, y: tf.tanh(x) + y,
    lambda x, y: x * tf.constant([0.5, -1.0, 2.0]) - y,
)


@dataclass(frozen=True, slots=True)
class Apply:
    """An op of two values; the numbers of values count from the end."""

    op: int
    x: int
    y: int


@dataclass(frozen=True, slots=True)
class If:
    """A condition on a value; both branches see all values."""

    x: int
    then: tuple[Statement, ...]
    otherwise: tuple[Statement, ...]


@dataclass(frozen=True, slots=True)
class While:
    """A loop that changes a value; its body sees all other values, too."""

    x: int
    iterations: int
    body: tuple[Statement, ...]


@dataclass(frozen=True, slots=True)
class Call:
    """A call of a function of all values."""

    body: tuple[Statement, ...]


Statement = Apply | If | While | Call

_NUMBERS = st.integers(0, 4)
_APPLY = st.builds(Apply, st.integers(0, len(_OPS) - 1), _NUMBERS, _NUMBERS)


def _compound(inner: st.SearchStrategy[Statement]) -> st.SearchStrategy[Statement]:
    body = st.lists(inner, min_size=1, max_size=3).map(tuple)
    return st.one_of(
        st.builds(If, _NUMBERS, body, body),
        st.builds(While, _NUMBERS, st.integers(0, _MOST_ITERATIONS), body),
        st.builds(Call, body),
    )


_STATEMENTS = st.recursive(_APPLY, _compound, max_leaves=8)
PROGRAMS = st.lists(_STATEMENTS, min_size=1, max_size=5).map(tuple)

# Has all ops and kernels that a program may need.
COMPLETE: tuple[Statement, ...] = (
    *(Apply(op, 0, 1) for op in range(len(_OPS))),
    If(0, (While(0, 2, (Apply(0, 0, 1),)),), (Call((Apply(2, 0, 1),)),)),
    While(1, 2, (If(0, (Apply(1, 0, 1),), (Apply(3, 0, 0),)), While(0, 1, (Apply(0, 0, 0),)))),
    Call((While(0, 1, (Call((Apply(0, 0, 0),)),)),)),
)


def _taken(values: Sequence[Any], number: int) -> Any:
    return values[-1 - number % len(values)]


def _evaluate(statement: Statement, values: list[Any]) -> Any:
    match statement:
        case Apply(op, x, y):
            return _OPS[op](_taken(values, x), _taken(values, y))
        case If(x, then, otherwise):
            return tf.cond(
                tf.reduce_sum(_taken(values, x)) > 0,
                lambda: _run(then, values),
                lambda: _run(otherwise, values),
            )
        case While(x, iterations, body):
            _, found = tf.while_loop(
                lambda i, _: i < iterations,
                lambda i, value: (i + 1, _run(body, [*values, value])),
                (tf.constant(0), _taken(values, x)),
            )
            return found
        case Call(body):
            return tf.function(lambda *given: _run(body, list(given)))(*values)
    raise AssertionError(statement)


def _run(program: Sequence[Statement], values: Sequence[Any]) -> Any:
    found = list(values)
    for statement in program:
        found.append(_evaluate(statement, found))
    return tf.identity(found[-1])


def graph(program: Sequence[Statement], *, functions: bool) -> Any:
    """Returns the GraphDef of a program; its input and output are vectors of SIZE numbers.

    Args:
      program: the statements.
      functions: whether conditions and loops are ops that call functions, as in TensorFlow 2, and not Switch, Merge, Enter and Exit.
    """
    switch = (
        tf.compat.v1.enable_control_flow_v2 if functions else tf.compat.v1.disable_control_flow_v2
    )
    try:
        switch()
        with tf.Graph().as_default() as made:
            given = tf.compat.v1.placeholder(tf.float32, [SIZE], name=frozen.INPUT)
            tf.identity(_run(program, [given, tf.constant([1.0, -0.5, 0.25])]), name=frozen.OUTPUT)
        return made.as_graph_def()
    finally:
        tf.compat.v1.enable_control_flow_v2()


def complete() -> dict[str, Any]:
    """Returns graphs that together have all ops and kernels that a graph of a program may need, by name."""
    return {
        "functions": graph(COMPLETE, functions=True),
        "frames": graph(COMPLETE, functions=False),
    }
