"""Tests of fuse_lstm: Keras loops become BlockLSTMV2 with equal outputs; the outputs' names and shapes stay."""

import functools
from collections.abc import Callable
from itertools import product
from typing import Any

import lstms
import numpy as np
import prepared
import pytest
import tensorflow as tf
from lstms import FORMS, UNITS, L, Model

import extent
from models import frozen, zoo
from tfcarve.prepare.evaluate.evaluator import Evaluator
from tfcarve.prepare.graph.graph import Graph, by_name, ref
from tfcarve.prepare.graph.messages import NodeDef
from tfcarve.prepare.pipeline import pipeline, presets
from tfcarve.prepare.pipeline.transform_list import Step, parse

_FORMS = extent.some(tuple(FORMS), "functional")
_FUSE = parse("fuse_lstm")
_MOBILE = presets.preset("mobile")
_LOOPS = (
    "Enter",
    "Exit",
    "LoopCond",
    "Merge",
    "NextIteration",
    "StatelessWhile",
    "Switch",
    "While",
)


class _Cell(L.LSTMCell):
    """An LSTM cell whose gates a subclass computes in another way."""

    def call(self, x: Any, states: Any, training: object = None) -> Any:
        h, c = states
        i, f, g, o = self.gates(x, h)
        c = tf.tanh(g) * tf.sigmoid(i) + c * tf.sigmoid(f)
        h = tf.tanh(c) * tf.sigmoid(o)
        return h, [h, c]


class _OneProduct(_Cell):
    """One product for the input and the previous output, the bias first, and explicit split sizes."""

    def build(self, shape: Any) -> None:
        super().build(shape)
        self.joined = self.add_weight("joined", (lstms.FEATURES + UNITS, 4 * UNITS))

    def gates(self, x: Any, h: Any) -> Any:
        total = self.bias + tf.matmul(tf.concat([x, h], 1), self.joined)
        return tf.split(total, [UNITS] * 4, axis=-1)


class _OutputFirst(_OneProduct):
    """One product for the previous output and the input."""

    def gates(self, x: Any, h: Any) -> Any:
        return tf.split(tf.matmul(tf.concat([h, x], 1), self.joined) + self.bias, 4, axis=1)


class _OtherOrder(_Cell):
    """Gates in another order, a transposed matrix, and biases as either operand."""

    def gates(self, x: Any, h: Any) -> Any:
        turned = tf.constant(prepared.noise(4 * UNITS, UNITS))
        total = tf.matmul(h, turned, transpose_b=True) + tf.constant(prepared.noise(4 * UNITS))
        o, g, i, f = tf.split(total + (self.bias + tf.matmul(x, self.kernel)), 4, axis=1)
        return i, f, g, o


def _stacked(x: Any) -> Any:
    x, h, c = L.LSTM(UNITS, return_sequences=True, return_state=True)(x)
    x = L.LSTM(UNITS, return_sequences=True)(x, initial_state=[h, c])
    return L.LSTM(5)(x)


def _keras_layers(**options: Any) -> Callable[[], Model]:
    return lambda: lstms.model(L.LSTM(UNITS, **options))


_MODELS: dict[str, tuple[int, Callable[[], Model]]] = {
    "the last output": (1, _keras_layers()),
    "all outputs": (1, _keras_layers(return_sequences=True)),
    "states": (1, _keras_layers(return_state=True)),
    "all outputs and states": (1, _keras_layers(return_sequences=True, return_state=True)),
    "no bias": (1, _keras_layers(use_bias=False)),
    "backwards": (1, _keras_layers(go_backwards=True, return_sequences=True)),
    "time first": (1, _keras_layers(time_major=True, return_sequences=True)),
    "both ways": (2, lambda: lstms.model(L.Bidirectional(L.LSTM(UNITS)))),
    "both ways, all": (
        2,
        lambda: lstms.model(L.Bidirectional(L.LSTM(UNITS, return_sequences=True), "sum")),
    ),
    "stacked": (3, lambda: lstms.model(_stacked)),
    "a cell": (1, lambda: lstms.model(L.RNN(L.LSTMCell(UNITS), return_state=True))),
    "initial states": (
        1,
        lambda: lstms.with_states(
            lambda x, h, c: L.LSTM(UNITS, return_state=True)(x, initial_state=[h, c])
        ),
    ),
    "any size": (1, lambda: lstms.model(L.LSTM(UNITS, return_sequences=True), None)),
    "the last of any size": (1, lambda: lstms.model(L.LSTM(UNITS), None)),
}
_CELLS = {"one product": _OneProduct, "output first": _OutputFirst, "other order": _OtherOrder}


@functools.cache
def _created(name: str) -> Model:
    return _MODELS[name][1]()


@functools.cache
def _graph(name: str, form: str, batch: int | None) -> Graph:
    return FORMS[form](_created(name), batch)


def _frozen(name: str, form: str, batch: int | None) -> tuple[Model, Graph]:
    """Returns a model and a copy of its graph: to freeze a model takes seconds."""
    return _created(name), prepared.copy(_graph(name, form, batch))


def _transformed(graph: Graph, created: Model, steps: list[Step], evaluator: Evaluator) -> Graph:
    return pipeline.transform(prepared.copy(graph), steps, *lstms.names(created), evaluator)


def _runs(before: Graph, created: Model, batch: int | None = None) -> list[prepared.Run]:
    """Returns runs of the model with some batches, or with the one that it is made for."""
    feeds = (lstms.fed(created, size) for size in ((1, 2, 5) if batch is None else (batch,)))
    return [prepared.Run.of(before, fed, lstms.names(created)[1]) for fed in feeds]


def _is_fused(runs: list[prepared.Run], after: Graph, count: int) -> None:
    """Asserts that the transformed graph has no loop and computes the same outputs as the model did."""
    ops = prepared.ops(after)
    assert ops["BlockLSTMV2"] == count
    assert not any(ops[op] for op in _LOOPS)
    assert not after.library.function
    for run in runs:
        assert run.difference(after) < 1e-6
        assert run.results[0].std() > 0.01


@pytest.mark.parametrize("batch", extent.of([2], [None, 2]))
@pytest.mark.parametrize(
    ("name", "form"),
    extent.some(
        list(product(_MODELS, FORMS)),
        ("the last output", "functional"),
        ("all outputs and states", "functional"),
        ("both ways", "lowered"),
    ),
)
def test_keras_loops(name: str, form: str, batch: int | None, evaluator: Evaluator) -> None:
    if name == "the last of any size" and batch:
        pytest.skip("of no rows it would be zeros")
    created, before = _frozen(name, form, batch)
    runs = _runs(before, created, batch)
    for steps in (_FUSE, [*_MOBILE, *_FUSE]):
        _is_fused(runs, _transformed(before, created, steps, evaluator), _MODELS[name][0])


@pytest.mark.parametrize("form", _FORMS)
@pytest.mark.parametrize("name", extent.some(tuple(_CELLS), "one product"))
def test_other_ways_to_compute_the_gates(name: str, form: str, evaluator: Evaluator) -> None:
    created = lstms.model(L.RNN(_CELLS[name](UNITS), return_sequences=True))
    before = FORMS[form](created, None)
    after = _transformed(before, created, [*parse("fold_constants"), *_FUSE], evaluator)
    _is_fused(_runs(before, created), after, 1)


@pytest.mark.parametrize("form", _FORMS)
@pytest.mark.parametrize(
    "transforms",
    [
        "fold_constants",
        "remove_nodes(op=Identity)",
        "merge_duplicate_nodes",
        "rename_op(old_op_name=BiasAdd, new_op_name=Add)",
        "rename_op(old_op_name=AddV2, new_op_name=Add)",
        "obfuscate_names",
        "simplify_control_dependencies multiply_by_reciprocals remove_neutral_ops compact_constants",
    ],
)
def test_after_other_transforms(transforms: str, form: str, evaluator: Evaluator) -> None:
    created, before = _frozen("the last output", form, None)
    after = _transformed(before, created, [*parse(transforms), *_FUSE], evaluator)
    _is_fused(_runs(before, created), after, 1)


@pytest.mark.parametrize("form", _FORMS)
def test_variable_sizes(form: str, evaluator: Evaluator) -> None:
    created, before = _frozen("any size", form, None)
    after = _transformed(before, created, _FUSE, evaluator)
    assert prepared.ops(after)["BlockLSTMV2"] == 1
    for batch, steps in ((1, 1), (3, 2), (2, 9)):
        assert prepared.difference(before, after, lstms.fed(created, batch, steps)) < 1e-6


@pytest.mark.parametrize("form", _FORMS)
def test_nodes_and_names(form: str, evaluator: Evaluator) -> None:
    created, before = _frozen("the last output", form, 2)
    after = _transformed(before, created, [*_MOBILE, *_FUSE], evaluator)
    (node,) = (n for n in after.nodes if n.op == "BlockLSTMV2")
    assert node.name.endswith("while/lstm")
    assert (node.attr["cell_clip"].f, node.attr["use_peephole"].b) == (0, False)
    added = [name.removeprefix(node.name) for name in node.input if name.startswith(node.name)]
    assert added == ["/steps", "/weights", *["/peephole"] * 3, "/bias"]
    # Only these remain: x, its Transpose, a constant state, the slice of the last output.
    assert prepared.ops(after) == {
        "BlockLSTMV2": 1,
        "Const": 9,
        "Identity": 1,
        "Placeholder": 1,
        "StridedSlice": 1,
        "Transpose": 1,
    }


@pytest.mark.parametrize("every", [True, False])
@pytest.mark.parametrize("kept", ["TensorListStack", "Exit"])
def test_fetched_results_keep_their_names(kept: str, every: bool, evaluator: Evaluator) -> None:
    created, before = _frozen("all outputs and states" if every else "states", "lowered", 2)
    lists = {node.input[0] for node in before.nodes if node.op == "TensorListStack"}
    named = [node.name for node in before.nodes if node.op == kept and node.name not in lists]
    assert len(named) == (2 if kept == "Exit" else 1)
    outputs = [*named, "y"]
    steps = [*parse("fold_constants"), *_FUSE]
    after = pipeline.transform(prepared.copy(before), steps, ["x"], outputs, evaluator)
    assert prepared.ops(after)["BlockLSTMV2"] == 1
    assert prepared.difference(before, after, lstms.fed(created, 2), outputs) < 1e-6


@pytest.mark.parametrize("waits", [True, False])
def test_a_stack_with_control_outputs(waits: bool, evaluator: Evaluator) -> None:
    created, before = _frozen("the last output", "functional", 2)
    (stack,) = (n for n in before.nodes if n.op == "TensorListStack")
    if waits:
        by_name(before)["y"].input.append(f"^{stack.name}")
    else:
        stack.input.append("^x")
    after = _transformed(before, created, [*parse("fold_constants"), *_FUSE], evaluator)
    _is_fused(_runs(before, created, 2), after, 1)
    taken = by_name(after)[stack.name]
    assert taken.op == "StridedSlice"
    assert ("^x" in taken.input) is not waits


def test_control_inputs_of_the_loop(evaluator: Evaluator) -> None:
    for form in FORMS:
        created, before = _frozen("the last output", form, None)
        loop = next(n for n in before.nodes if n.op in ("Enter", "StatelessWhile"))
        loop.input.append("^x")
        after = _transformed(before, created, _FUSE, evaluator)
        _is_fused(_runs(before, created), after, 1)
        (node,) = (n for n in after.nodes if n.op == "BlockLSTMV2")
        assert node.input[-1] == "^x"


def test_variables_in_another_order(evaluator: Evaluator) -> None:
    """The loop's outputs have the same numbers as those of the new node."""
    created, before = _frozen("states", "functional", None)
    after = prepared.copy(before)
    (loop,) = (node for node in after.nodes if node.op == "StatelessWhile")
    order = list(range(len(loop.input)))
    (h, c) = (
        number
        for number in order
        if any(f"{loop.name}:{number}" in n.input for n in after.nodes) and number > 3
    )
    for old, new in ((h, 6), (c, 1)):
        order[old], order[new] = order[new], order[old]
    _reorder(after, loop, order)
    assert prepared.difference(before, after, lstms.fed(created, 2), lstms.OUTPUTS) == 0
    _is_fused(_runs(before, created), _transformed(after, created, _FUSE, evaluator), 1)


def _reorder(graph: Graph, loop: NodeDef, order: list[int]) -> None:
    """Changes the order of a loop's variables: number `order[n]` becomes number n."""
    loop.input[:] = [loop.input[number] for number in order]
    for key in ("T", "output_shapes"):
        held = loop.attr[key].list
        for listed in (held.type, held.shape):
            copies = list(listed)
            del listed[:]
            listed.extend(copies[number] for number in order if copies)
    for function in graph.library.function:
        for args in (function.signature.input_arg, function.signature.output_arg):
            if len(args) == len(order):
                copies = [type(arg).FromString(arg.SerializeToString()) for arg in args]
                del args[:]
                args.extend(copies[number] for number in order)
        function.ClearField("arg_attr")
    for node in graph.nodes:
        for place, text in enumerate(node.input):
            source = ref(text)
            if source.node == loop.name:
                node.input[place] = f"{loop.name}:{order.index(source.output)}"


def test_an_empty_batch(evaluator: Evaluator) -> None:
    created, before = _frozen("the last output", "functional", None)
    after = _transformed(before, created, _FUSE, evaluator)
    assert prepared.difference(before, after, lstms.fed(created, 0)) == 0


def test_columns_are_in_the_order_of_the_kernel(evaluator: Evaluator) -> None:
    """The input, forget, cell and output gates of Keras are the kernel's outputs i, f, ci and o."""
    created = lstms.model(L.LSTM(UNITS), 1)
    after = _transformed(lstms.functional(created, 1), created, [*_MOBILE, *_FUSE], evaluator)
    (node,) = (n for n in after.nodes if n.op == "BlockLSTMV2")
    fed = lstms.fed(created, 1, 1)
    kernel, _, bias = (weight.numpy() for weight in created.weights)
    gates = np.split(fed["x"][0, 0] @ kernel + bias, 4)
    wanted = [_sigmoid(gates[0]), _sigmoid(gates[1]), _sigmoid(gates[3]), np.tanh(gates[2])]
    got = prepared.ran(after, fed, [f"{node.name}:{number}" for number in (0, 2, 3, 4)])
    for a, b in zip(wanted, got, strict=True):
        assert np.abs(a - b).max() < 1e-6


def _sigmoid(value: Any) -> Any:
    return 1 / (1 + np.exp(-value))


def test_a_large_model(evaluator: Evaluator) -> None:
    created = zoo.lstm_256()
    before = prepared.from_tensorflow(created.graph)
    steps = [*_MOBILE, *presets.FUSE]
    ends = [frozen.INPUT], [frozen.OUTPUT]
    after = pipeline.transform(prepared.copy(before), steps, *ends, evaluator)
    ops = prepared.ops(after)
    assert ops["BlockLSTMV2"] == 1
    assert not any(ops[op] for op in _LOOPS)
    (got,) = prepared.ran(after, {frozen.INPUT: created.input}, [frozen.OUTPUT])
    assert np.abs(got - created.output).max() < 1e-6


def test_a_graph_without_loops_is_not_changed(evaluator: Evaluator) -> None:
    graph = prepared.drawn(lambda: tf.nn.relu(prepared.tf1.placeholder(tf.float32, name="x")))
    after = pipeline.transform(prepared.copy(graph), _FUSE, ["x"], ["Relu"], evaluator)
    assert after.nodes == graph.nodes
