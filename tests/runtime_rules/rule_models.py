"""A model for each runtime rule, which runs with the rule and fails without it.

No model contains the op whose absence makes another model fail: only the rule adds that op to a library.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import tensorflow as tf
from google.protobuf import text_format
from tensorflow.python.framework import function
from tensorflow.python.ops import (
    gen_array_ops,
    gen_collective_ops,
    gen_functional_ops,
    gen_math_ops,
    gen_resource_variable_ops,
)

from models.frozen import INPUT, OUTPUT, Array

FOLDED = "AppFolded"  # an op of the app: it returns 2, but only to constant folding
_FED = 1.5


@dataclass(frozen=True)
class RuleModel:
    """A model that needs a rule.

    Attributes:
      rule: the rule's id in runtime_ops.yaml.
      make: returns the model as a GraphDef with a Placeholder INPUT and a node OUTPUT.
      error: the library's message for the model without the rule.
      fed: the value of INPUT.
      is_partial: the model fails only in a partial run, by Session::PRun.
    """

    rule: str
    make: Callable[[], Any]
    error: str
    fed: Array
    is_partial: bool = False


# Functions of TensorFlow 1: tf.function would add an Identity to each result.
def _function(name: str, types: list[Any], body: Callable[..., Any]) -> Any:
    return function.Defun(*types, func_name=name)(body)


def _negated() -> Any:
    return _function("negated", [tf.float32], lambda x: gen_math_ops.neg(x))


def _squared() -> Any:
    return _function("squared", [tf.float32], lambda x: gen_math_ops.mul(x, x))


def _graph(build: Callable[[Any], Any], shape: tuple[int, ...] = ()) -> Any:
    with tf.Graph().as_default() as graph:
        result = build(tf.compat.v1.placeholder(tf.float32, shape, name=INPUT))
        gen_math_ops.neg(result, name=OUTPUT)
        return graph.as_graph_def()


def _lowered(outputs: list[Any]) -> Any:
    on = tf.compat.v1.AttrValue(b=True)
    outputs[0].op._set_attr("_lower_using_switch_merge", on)
    return outputs[0]


def plain() -> Any:
    """Negates twice."""
    return _graph(gen_math_ops.neg)


def minus_square() -> Any:
    """Negates the square."""
    return _graph(lambda x: gen_math_ops.mul(x, x))


def bits() -> Any:
    """Returns the bits of a number; the kernel is registered through TensorFlow's C API. Needs no rule."""
    with tf.Graph().as_default() as graph:
        fed = tf.compat.v1.placeholder(tf.float32, (), name=INPUT)
        gen_array_ops.bitcast(fed, tf.int32, name=OUTPUT)
        return graph.as_graph_def()


def folded() -> Any:
    """Multiplies by FOLDED."""
    graph = _graph(lambda x: gen_math_ops.mul(x, tf.constant(2.0, name="two")))
    (node,) = [node for node in graph.node if node.op == "Const"]
    node.op = FOLDED
    node.attr.clear()
    return graph


def with_constants(graph: Any) -> Any:
    """Returns the graph with constants instead of FOLDED, which full TensorFlow does not have."""
    known = type(graph)()
    known.CopyFrom(graph)
    for node in known.node:
        if node.op == FOLDED:
            with tf.Graph().as_default():
                node.CopyFrom(tf.constant(2.0, name=node.name).op.node_def)
    return known


def resource() -> Any:
    """Writes and reads a variable that a function returns."""
    handle = _function(
        "handle",
        [],
        lambda: gen_resource_variable_ops.var_handle_op(tf.float32, [], shared_name="variable"),
    )

    def build(x: Any) -> Any:
        (variable,) = gen_functional_ops.stateful_partitioned_call([], [tf.resource], handle)
        written = gen_resource_variable_ops.assign_variable_op(variable, x)
        with tf.control_dependencies([written]):
            return gen_resource_variable_ops.read_variable_op(variable, tf.float32)

    return _graph(build)


def list_converter() -> Any:
    """Passes on a list of one tensor, after a control input."""
    graph = _graph(gen_math_ops.neg)
    (node,) = [node for node in graph.node if node.op == "Neg" and node.name != OUTPUT]
    node.op = "_ListToArray"
    node.attr["Tin"].list.type.append(tf.float32.as_datatype_enum)
    node.attr["N"].i = 1
    node.input.append(f"^{INPUT}")
    return graph


def conditional() -> Any:
    """Squares the input if it is less than its square, otherwise negates it."""

    def build(x: Any) -> Any:
        less = gen_math_ops.less(x, gen_math_ops.mul(x, x))
        return _lowered(
            gen_functional_ops.stateless_if(less, [x], [tf.float32], _squared(), _negated())
        )

    return _graph(build)


def case() -> Any:
    """Takes the branch whose index is the number of elements."""

    def build(x: Any) -> Any:
        branches = [_negated(), _squared()]
        return _lowered(
            gen_functional_ops.stateless_case(gen_array_ops.size(x), [x], [tf.float32], branches)
        )

    return _graph(build)


def loop() -> Any:
    """Squares until the result is the fourth power."""
    types = [tf.float32, tf.float32]
    until = _function("until", types, lambda x, last: gen_math_ops.less(x, last))
    body = _function("body", types, lambda x, last: (gen_math_ops.mul(x, x), last))

    def build(x: Any) -> Any:
        square = gen_math_ops.mul(x, x)
        last = gen_math_ops.mul(square, square)
        return _lowered(gen_functional_ops.stateless_while([x, last], until, body))

    return _graph(build)


def gradient() -> Any:
    """The gradients of an argument that both results use and of one that neither uses."""
    types = [tf.float32, tf.float32]

    def results(x: Any, unused: Any) -> Any:
        return gen_math_ops.neg(x), gen_math_ops.neg(x)

    function = _function("results", types, results)
    return _graph(lambda x: gen_functional_ops.symbolic_gradient([x, x, x, x], types, function)[0])


def parallel_concat() -> Any:
    """Stacks a vector with itself."""
    return _graph(lambda x: gen_array_ops.parallel_concat([x, x], [2]), (1,))


def accumulated() -> Any:
    """Sums through a temporary variable."""
    return _graph(lambda x: gen_math_ops.accumulate_nv2([x, x], []))


def accumulated_in_loop() -> Any:
    """Sums in a loop of TensorFlow 1, which does not use a temporary variable.

    It is not one of MODELS because it contains Identity and the ops of loops.
    """

    def build(x: Any) -> Any:
        last = gen_math_ops.mul(x, x)
        tf.compat.v1.disable_control_flow_v2()
        try:
            return tf.compat.v1.while_loop(
                lambda at: gen_math_ops.less(at, last),
                lambda at: [gen_math_ops.accumulate_nv2([at, at], [])],
                [x],
            )
        finally:
            tf.compat.v1.enable_control_flow_v2()

    return _graph(build)


def gathered() -> Any:
    """Gathers from the only device of a group."""

    def build(x: Any) -> Any:
        return gen_collective_ops.collective_gather(
            x, group_size=1, group_key=1, instance_key=1, shape=[1]
        )

    return _graph(build, (1,))


def reduced() -> Any:
    """The mean over the only device of a group."""

    def build(x: Any) -> Any:
        return gen_collective_ops.collective_reduce(
            x,
            group_size=1,
            group_key=2,
            instance_key=2,
            merge_op="Add",
            final_op="Div",
            subdiv_offsets=[0],
        )

    return _graph(build)


def in_one_tensor() -> Any:
    """Computes two tensors in the memory of a third one. The ops have no Python functions."""
    return text_format.Parse(
        f"""
        node {{ name: "{INPUT}" op: "Placeholder"
          attr {{ key: "dtype" value {{ type: DT_FLOAT }} }}
          attr {{ key: "shape" value {{ shape {{ dim {{ size: 16 }} }} }} }} }}
        node {{ name: "memory" op: "_ScopedAllocator" {_IN_MEMORY}
          attr {{ key: "shapes" value {{ list {{
            shape {{ dim {{ size: 16 }} }} shape {{ dim {{ size: 16 }} }} }} }} }}
          attr {{ key: "expected_call_count" value {{ i: 2 }} }} }}
        node {{ name: "negative" op: "Neg" input: "{INPUT}" input: "^memory" {_FLOAT}
          attr {{ key: "_scoped_allocator" value {{ list {{ i: 0 i: 2 }} }} }} }}
        node {{ name: "square" op: "Mul" input: "{INPUT}" input: "{INPUT}" input: "^memory" {_FLOAT}
          attr {{ key: "_scoped_allocator" value {{ list {{ i: 0 i: 3 }} }} }} }}
        node {{ name: "both" op: "_ScopedAllocatorConcat" {_IN_MEMORY}
          input: "memory" input: "negative" input: "square"
          attr {{ key: "N" value {{ i: 2 }} }} }}
        node {{ name: "{OUTPUT}" op: "Neg" input: "both" {_FLOAT} }}
        """,
        tf.compat.v1.GraphDef(),
    )


_FLOAT = 'attr { key: "T" value { type: DT_FLOAT } }'
_IN_MEMORY = f"""{_FLOAT}
    attr {{ key: "shape" value {{ shape {{ dim {{ size: 32 }} }} }} }}
    attr {{ key: "sa_name" value {{ s: "memory" }} }}
    attr {{ key: "id" value {{ i: 1 }} }}"""


def _needs(
    rule: str, make: Callable[[], Any], error: str, shape: tuple[int, ...] = ()
) -> RuleModel:
    return RuleModel(rule, make, error, np.full(shape, _FED, np.float32))


def _unregistered(op: str) -> str:
    return f"Op type not registered '{op}'"


MODELS: Mapping[str, RuleModel] = {
    "plain_graph": _needs("source-and-sink", plain, _unregistered("NoOp")),
    "plain": _needs("feeds-and-fetches", plain, _unregistered("_Arg")),
    "partial": replace(
        _needs("feeds-of-partial-runs", minus_square, _unregistered("_Recv")), is_partial=True
    ),
    "fetched": _needs("fetches-of-constant-folding", folded, "was not folded"),
    "folded": _needs("folded-constants", folded, "was not folded"),
    "resource": _needs("functions-that-give-resources", resource, _unregistered("Identity")),
    "list_converter": _needs("list-converters", list_converter, _unregistered("Identity")),
    "conditional": _needs("lowered-if", conditional, _unregistered("Switch")),
    "case": _needs("lowered-case", case, _unregistered("_SwitchN")),
    "loop": _needs("lowered-while", loop, _unregistered("Enter")),
    "gradient": _needs("symbolic-gradient", gradient, _unregistered("AddN")),
    "parallel_concat": _needs(
        "parallel-concat", parallel_concat, _unregistered("_ParallelConcatStart"), (1,)
    ),
    "accumulated": _needs("accumulate-n", accumulated, _unregistered("TemporaryVariable")),
    "in_one_tensor": _needs(
        "scoped-allocators", in_one_tensor, "ScopedAllocatorMgr not supported on device", (16,)
    ),
    "gathered": _needs("collectives", gathered, "was carved without collective ops", (1,)),
    "reduced": _needs("collective-reductions", reduced, _unregistered("Add")),
}
