"""Graphs with conditions, some of which have a constant predicate, drawn with TensorFlow."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np
import tensorflow as tf

tf1 = tf.compat.v1
raw = tf.raw_ops
X = np.array([[1.0, -2.0], [3.0, 0.5]], np.float32)


@contextmanager
def control_flow(lowered: bool) -> Iterator[None]:
    """Conditions and loops are Switch, Merge and Enter in the block if `lowered`, else If, Case and While."""
    (tf1.disable_control_flow_v2 if lowered else tf1.enable_control_flow_v2)()
    try:
        yield
    finally:
        tf1.enable_control_flow_v2()


@dataclass(frozen=True)
class Conditional:
    """A graph with the inputs x and `on`, a bool, and the output y.

    Attributes:
      draw: creates y from x and `on`.
      left: the number of conditions that depend on an input.
      absent: ops of branches that never run.
    """

    draw: Callable[[Any, Any], Any]
    left: int
    absent: frozenset[str] = frozenset(("Tanh",))


def _cond(predicate: Any, then: Callable[[], Any], otherwise: Callable[[], Any]) -> Any:
    return tf1.cond(predicate, then, otherwise)


def _false() -> Any:
    return tf.identity(tf.constant(False), name="training")


def _compared(x: Any, _: Any) -> Any:
    rate = tf.constant(1.0) - tf.constant(0.25)
    return _cond(rate > tf.constant(0.5), lambda: tf.sqrt(tf.abs(x)), lambda: tf.tanh(x))


def _short_circuit(x: Any, on: Any) -> Any:
    both = tf.logical_and(_false(), on)
    either = tf.logical_or(tf.logical_not(both), on)
    return _cond(either, lambda: x + 1.0, lambda: tf.tanh(x))


def _inner_is_constant(x: Any, on: Any) -> Any:
    training = _false()
    return _cond(
        on,
        lambda: _cond(training, lambda: tf.tanh(x), lambda: tf.sqrt(tf.abs(x))),
        lambda: _cond(tf.logical_not(training), lambda: x * 2.0, lambda: tf.tanh(x)),
    )


def _outer_is_constant(x: Any, on: Any) -> Any:
    return _cond(
        _false(),
        lambda: _cond(on, lambda: tf.tanh(x), lambda: tf.tanh(-x)),
        lambda: _cond(on, lambda: x * 2.0, lambda: x - 1.0),
    )


def _in_a_loop(x: Any, _: Any) -> Any:
    training = _false()

    def body(i: Any, v: Any) -> Any:
        return i + 1, _cond(training, lambda: tf.tanh(v), lambda: v * 2.0 + 1.0)

    return tf1.while_loop(lambda i, v: i < 3, body, [tf.constant(0), x])[1]


def _loop_in_a_branch(x: Any, _: Any) -> Any:
    def looped(step: Callable[[Any], Any]) -> Any:
        return tf1.while_loop(
            lambda i, v: i < 3, lambda i, v: (i + 1, step(v)), [tf.constant(0), x]
        )[1]

    return _cond(_false(), lambda: looped(tf.tanh), lambda: looped(lambda v: v * 2.0))


def _dropout(x: Any, _: Any) -> Any:
    return _cond(_false(), lambda: x * tf1.random_uniform([2, 2]), lambda: tf.identity(x))


def _guarded_check(x: Any, _: Any) -> Any:
    """The branch that runs has a side effect."""

    def checked() -> Any:
        with tf.control_dependencies([tf1.assert_less(x, 100.0)]):
            return x * 2.0

    return _cond(_false(), lambda: tf.tanh(x), checked)


def _case(number: int) -> Callable[[Any, Any], Any]:
    def draw(x: Any, _: Any) -> Any:
        branches = [lambda: tf.tanh(x), lambda: tf.tanh(-x), lambda: tf.sqrt(tf.abs(x))]
        return tf.switch_case(tf.constant(number) + tf.constant(0), branches)

    return draw


def _dynamic(x: Any, on: Any) -> Any:
    return _cond(on, lambda: tf.tanh(x), lambda: x * 2.0)


# In both forms of control flow.
CONDITIONALS: Mapping[str, Conditional] = {
    "compared": Conditional(_compared, 0),
    "short circuit": Conditional(_short_circuit, 0),
    "inner": Conditional(_inner_is_constant, 1),
    "outer": Conditional(_outer_is_constant, 1),
    "in a loop": Conditional(_in_a_loop, 0),
    "loop in a branch": Conditional(_loop_in_a_branch, 0),
    "dropout": Conditional(_dropout, 0, frozenset(("RandomUniform",))),
    "guarded check": Conditional(_guarded_check, 1),
    "case": Conditional(_case(2), 0),
    "case out of range": Conditional(_case(7), 0),
    "case with a negative number": Conditional(_case(-1), 0),
    "dynamic": Conditional(_dynamic, 1, frozenset()),
}


def _value_index(x: Any, _: Any) -> Any:
    off, on = raw.Switch(data=x, pred=_false())
    merged = raw.Merge(inputs=[tf.tanh(on), tf.identity(off)])
    return merged.output * tf.cast(merged.value_index + 3, tf.float32)


def _value_index_of_several(x: Any, on: Any) -> Any:
    """One of three inputs of a Merge never has a value."""
    off, never = raw.Switch(data=x, pred=_false())
    low, high = raw.Switch(data=off, pred=on)
    merged = raw.Merge(inputs=[tf.identity(low), tf.tanh(never), high * 2.0])
    return merged.output * tf.cast(merged.value_index + 3, tf.float32)


def _value_index_decides(x: Any, on: Any) -> Any:
    """The number of the branch that runs decides an If."""
    off, never = raw.Switch(data=x, pred=_false())
    merged = raw.Merge(inputs=[tf.tanh(never), tf.identity(off)])
    functions = {"then_branch": _function(lambda v: v * 2.0), "else_branch": _function(tf.tanh)}
    return raw.If(cond=merged.value_index, input=[x], Tout=[tf.float32], **functions)[0]


def _function(compute: Callable[[Any], Any]) -> Any:
    return tf.function(compute, input_signature=[tf.TensorSpec([2, 2])]).get_concrete_function()


def _if_of(predicate: Any) -> Callable[[Any, Any], Any]:
    """An If whose predicate is not a bool."""

    def draw(x: Any, _: Any) -> Any:
        functions = {"then_branch": _function(tf.tanh), "else_branch": _function(lambda v: v * 2.0)}
        return raw.If(cond=tf.constant(predicate), input=[x], Tout=[tf.float32], **functions)[0]

    return draw


# With the form of control flow that each of them has.
RAW: Mapping[str, tuple[Conditional, bool]] = {
    "value index": (Conditional(_value_index, 0), True),
    "value index of several": (Conditional(_value_index_of_several, 1), True),
    "value index decides": (Conditional(_value_index_decides, 0), True),
    "If of a number": (Conditional(_if_of(0), 0), False),
    "If of a string": (Conditional(_if_of(""), 0), False),
}


def remaining(nodes: list[Any]) -> int:
    """The number of conditions among nodes: If, Case, and the different predicates of Switches outside of loops."""
    known = {node.name: node for node in nodes}

    def origin(text: str) -> str:
        name = text.removeprefix("^").partition(":")[0]
        while known[name].op in ("Identity", "Switch", "Enter"):
            name = known[name].input[0].partition(":")[0]
        return name

    predicates = {origin(node.input[1]) for node in nodes if node.op == "Switch"}
    functional = sum(node.op.removeprefix("Stateless") in ("If", "Case") for node in nodes)
    return functional + sum(known[name].op != "LoopCond" for name in predicates)
