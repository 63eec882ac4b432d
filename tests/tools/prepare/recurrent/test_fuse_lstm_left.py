"""Loops that fuse_lstm does not change: they compute something else, or are used in unsupported ways."""

import functools
from collections.abc import Callable
from itertools import product
from typing import Any

import lstms
import numpy as np
import prepared
import pytest
import tensorflow as tf
from lstms import FORMS, STEPS, UNITS, L, Model

import extent
from tfcarve.prepare.context import Context, Parameters
from tfcarve.prepare.evaluate.evaluator import Evaluator
from tfcarve.prepare.graph import nodes
from tfcarve.prepare.graph.graph import Graph, by_name, ref
from tfcarve.prepare.graph.messages import NodeDef
from tfcarve.prepare.pipeline import pipeline, presets
from tfcarve.prepare.pipeline.transform_list import parse
from tfcarve.prepare.transforms import fuse_lstm

_FUSE = parse("fuse_lstm")


class _Normalized(L.LSTMCell):
    """An LSTM with normalized gates."""

    def build(self, shape: Any) -> None:
        super().build(shape)
        self.norm = L.LayerNormalization()
        self.norm.build((None, 4 * UNITS))

    def call(self, x: Any, states: Any, training: object = None) -> Any:
        h, c = states
        total = tf.matmul(x, self.kernel) + tf.matmul(h, self.recurrent_kernel) + self.bias
        i, f, g, o = tf.split(self.norm(total), 4, axis=1)
        c = tf.sigmoid(f) * c + tf.sigmoid(i) * tf.tanh(g)
        h = tf.sigmoid(o) * tf.tanh(c)
        return h, [h, c]


class _Computed(L.LSTMCell):
    """An LSTM with a matrix that is computed from the input."""

    def call(self, x: Any, states: Any, training: object = None) -> Any:
        h, c = states
        matrix = self.kernel * tf.reduce_sum(x)
        i, f, g, o = tf.split(tf.matmul(x, matrix) + tf.matmul(h, self.recurrent_kernel), 4, axis=1)
        c = tf.sigmoid(f) * c + tf.sigmoid(i) * tf.tanh(g)
        h = tf.sigmoid(o) * tf.tanh(c)
        return h, [h, c]


class _Coupled(L.LSTMCell):
    """A cell with coupled input and forget gates."""

    def call(self, x: Any, states: Any, training: object = None) -> Any:
        h, c = states
        total = tf.matmul(x, self.kernel) + tf.matmul(h, self.recurrent_kernel)
        i, _, g, o = tf.split(total, 4, axis=1)
        c = tf.sigmoid(i) * c + tf.sigmoid(i) * tf.tanh(g)
        h = tf.sigmoid(o) * tf.tanh(c)
        return h, [h, c]


def _masked(x: Any) -> Any:
    return L.LSTM(UNITS)(L.Masking(0.5)(x))


def _of(layer: Callable[[], Any], steps: int | None = STEPS) -> Callable[[], Model]:
    return lambda: lstms.model(layer(), steps)


_MODELS: dict[str, Callable[[], Model]] = {
    "a mask": lambda: lstms.model(_masked),
    "dropout in the loop": lambda: lstms.model(L.LSTM(UNITS, recurrent_dropout=0.5), training=True),
    "another activation": _of(lambda: L.LSTM(UNITS, activation="relu")),
    "another gate": _of(lambda: L.LSTM(UNITS, recurrent_activation="hard_sigmoid")),
    "tanh for a gate": _of(lambda: L.LSTM(UNITS, recurrent_activation="tanh")),
    "sigmoid for the cell": _of(lambda: L.LSTM(UNITS, activation="sigmoid")),
    "normalized": _of(lambda: L.RNN(_Normalized(UNITS))),
    "computed weights": _of(lambda: L.RNN(_Computed(UNITS))),
    "coupled gates": _of(lambda: L.RNN(_Coupled(UNITS))),
    "a GRU": _of(lambda: L.GRU(UNITS)),
    "a plain one": _of(lambda: L.SimpleRNN(UNITS)),
    "unrolled": _of(lambda: L.LSTM(UNITS, unroll=True)),
    "doubles": _of(lambda: L.LSTM(UNITS, dtype="float64")),
    "states of any size": _of(lambda: L.LSTM(UNITS, return_state=True), None),
}


def _assert_not_changed(
    graph: Graph, created: Model, evaluator: Evaluator, random: bool = False
) -> None:
    """Asserts that fuse_lstm changes nothing."""
    after = pipeline.transform(prepared.copy(graph), _FUSE, *lstms.names(created), evaluator)
    assert after.nodes == graph.nodes
    assert after.library == graph.library
    if not random:
        fed = lstms.fed(created, 2)
        assert prepared.difference(graph, after, fed, lstms.names(created)[1]) == 0


@pytest.mark.parametrize(
    ("name", "form"),
    extent.some(
        list(product(_MODELS, FORMS)),
        ("a mask", "lowered"),
        ("another gate", "functional"),
        ("a GRU", "lowered"),
        ("doubles", "functional"),
    ),
)
def test_other_loops(name: str, form: str, evaluator: Evaluator) -> None:
    created = _MODELS[name]()
    graph = FORMS[form](created, 2 if name == "doubles" else None)
    _assert_not_changed(graph, created, evaluator, random="dropout" in name)
    mobile = pipeline.transform(
        prepared.copy(graph), presets.preset("mobile"), *lstms.names(created), evaluator
    )
    _assert_not_changed(mobile, created, evaluator, random="dropout" in name)


@pytest.mark.parametrize("form", extent.some(tuple(FORMS), "functional"))
def test_last_output_of_no_rows(form: str, evaluator: Evaluator) -> None:
    """With a known batch size, the last output of 0 rows is zeros."""
    created = lstms.model(L.LSTM(UNITS), None)
    _assert_not_changed(FORMS[form](created, 2), created, evaluator)


@functools.cache
def _model() -> Model:
    return lstms.model(L.LSTM(UNITS, return_state=True))


@functools.cache
def _fusable(form: str, evaluator: Evaluator) -> Graph:
    steps = parse("fold_constants remove_nodes(op=Identity)")
    ends = lstms.names(_model())
    graph = pipeline.transform(FORMS[form](_model(), 2), steps, *ends, evaluator)
    after = pipeline.transform(prepared.copy(graph), _FUSE, *ends, evaluator)
    assert prepared.ops(after)["BlockLSTMV2"] == 1
    return graph


def _folded(form: str, evaluator: Evaluator) -> tuple[Model, Graph]:
    """Returns a model and its fusable graph, with constant shapes and without Identity nodes."""
    return _model(), prepared.copy(_fusable(form, evaluator))


@pytest.mark.parametrize("form", extent.some(tuple(FORMS), "functional"))
def test_size_of_another_tensor(form: str, evaluator: Evaluator) -> None:
    """The number of iterations is the batch size, not the number of rows."""
    created = lstms.model(L.LSTM(UNITS, return_sequences=True), None)
    graph = FORMS[form](created, None)
    (row,) = (n for n in graph.nodes if n.op == "TensorListFromTensor")
    (shape,) = (n for n in graph.nodes if n.op == "Shape" and n.input[0] == row.input[0])
    shape.input[0] = "x"
    after = pipeline.transform(prepared.copy(graph), _FUSE, *lstms.names(created), evaluator)
    assert (after.nodes, after.library) == (graph.nodes, graph.library)


def _all_nodes(graph: Graph) -> list[NodeDef]:
    return [*graph.nodes, *(node for f in graph.library.function for node in f.node_def)]


def _only(graph: Graph, op: str, number: int = 0) -> NodeDef:
    return [node for node in _all_nodes(graph) if node.op == op][number]


def _other_op(old: str, new: str, number: int = 0) -> Callable[[Graph], object]:
    def change(graph: Graph) -> None:
        _only(graph, old, number).op = new

    return change


def _other_attribute(op: str, key: str, value: object) -> Callable[[Graph], object]:
    def change(graph: Graph) -> None:
        attr = _only(graph, op).attr[key]
        if isinstance(value, bytes):
            attr.s = value
        elif isinstance(value, bool):
            attr.b = value
        else:
            assert isinstance(value, int)
            attr.i = value

    return change


def _other_value(reader: str, place: int, value: Any) -> Callable[[Graph], object]:
    """Returns a change that replaces a constant input of a node; in a frame the new constant gets a control input."""

    def change(graph: Graph) -> None:
        node = _only(graph, reader)
        created = nodes.constant(f"other/{reader}", value, ())
        for function in graph.library.function:
            if node in function.node_def:
                function.node_def.append(created)
                node.input[place] = f"{created.name}:output:0"
                return
        if reader != "TensorListReserve":
            created.input.append(f"^{ref(node.input[0 if place else 1]).node}")
        graph.nodes.append(created)
        node.input[place] = created.name

    return change


def _swapped(op: str, number: int = 0) -> Callable[[Graph], object]:
    def change(graph: Graph) -> None:
        node = _only(graph, op, number)
        node.input[0], node.input[1] = node.input[1], node.input[0]

    return change


_INT = np.int32


def _with_second_test(most: int) -> Callable[[Graph], object]:
    """Returns a change that adds the condition that a counter is less than `most`, as maximum_iterations does."""

    def change(graph: Graph) -> None:
        less = _only(graph, "Less")
        second = nodes.copy(less, "second")
        both = NodeDef(name="both", op="LogicalAnd")
        for function in graph.library.function:
            if less in function.node_def:
                (output,) = function.ret
                both.input.extend([f"{less.name}:z:0", "second:z:0"])
                function.ret[output] = "both:z:0"
                function.node_def.extend([second, both])
        if not graph.library.function:
            both.input.extend([less.name, "second"])
            _only(graph, "LoopCond").input[0] = "both"
            graph.nodes.extend([second, both])
        _other_value("Less", 1, np.array(most, _INT))(graph)

    return change


_CHANGES: dict[str, Callable[[Graph], object]] = {
    "another gate": _other_op("Sigmoid", "Tanh"),
    "another cell": _other_op("Tanh", "Sigmoid"),
    "differences": _other_op("AddV2", "Sub"),
    "sums of gates": _other_op("Mul", "AddV2"),
    "channels first": _other_attribute("BiasAdd", "data_format", b"NCHW"),
    "parts of rows": _other_value("Split", 0, np.array(0, _INT)),
    "two parts": _other_attribute("Split", "num_split", 2),
    "a transposed input": _other_attribute("MatMul", "transpose_a", True),
    "transposed weights": _other_attribute("MatMul", "transpose_b", True),
    "other rows": _other_value("TensorListGetItem", 1, np.array(0, _INT)),
    "another place": _other_value("TensorListSetItem", 1, np.array(1, _INT)),
    "more iterations": _other_value("Less", 1, np.array(STEPS + 1, _INT)),
    "fewer iterations": _other_value("Less", 1, np.array(STEPS - 1, _INT)),
    "the other way round": _swapped("Less"),
    "more rows": _other_attribute("TensorListStack", "num_elements", 2),
    "two places": _other_value("TensorListReserve", 1, np.array(2, _INT)),
    "a second test": _with_second_test(STEPS - 1),
    "a check": lambda graph: _check(graph),
    "an effect": lambda graph: _effect(graph),
}


def _check(graph: Graph) -> None:
    node = _only(graph, "Sigmoid")
    node.op = "CheckNumerics"


def _effect(graph: Graph) -> None:
    created = NodeDef(name="effect", op="Abort")
    if graph.library.function:
        graph.library.function[0].node_def.append(created)
    else:
        created.input.append(f"^{_only(graph, 'Sigmoid').name}")
        graph.nodes.append(created)


# The control for `_CHANGES`: changes of the same form that do not alter the computation are fused.
_SAME: dict[str, Callable[[Graph], object]] = {
    "as many iterations": _other_value("Less", 1, np.array(STEPS, _INT)),
    "the same columns": _other_value("Split", 0, np.array(-1, _INT)),
    "the same place": _other_value("TensorListSetItem", 1, np.array(0, _INT)),
    "one place": _other_value("TensorListReserve", 1, np.array(1, _INT)),
    "the same size": _other_attribute("TensorListStack", "num_elements", -1),
    "a second test": _with_second_test(STEPS),
    "another sum": _other_op("AddV2", "Add"),
    "products": lambda graph: [_swapped("Mul", number)(graph) for number in range(3)],
    "sums": lambda graph: [_swapped("AddV2", number)(graph) for number in range(3)],
}


@pytest.mark.parametrize("form", extent.some(tuple(FORMS), "functional"))
@pytest.mark.parametrize("change", _SAME)
def test_equivalent_changes_are_fused(change: str, form: str, evaluator: Evaluator) -> None:
    created, graph = _folded(form, evaluator)
    before = prepared.copy(graph)
    _SAME[change](graph)
    assert (graph.nodes, graph.library) != (before.nodes, before.library)
    after = pipeline.transform(prepared.copy(graph), _FUSE, *lstms.names(created), evaluator)
    assert prepared.ops(after)["BlockLSTMV2"] == 1
    assert prepared.difference(before, after, lstms.fed(created, 2), lstms.names(created)[1]) < 1e-6


@pytest.mark.parametrize("form", extent.some(tuple(FORMS), "functional"))
@pytest.mark.parametrize("change", _CHANGES)
def test_changed_loops(change: str, form: str, evaluator: Evaluator) -> None:
    created, graph = _folded(form, evaluator)
    before = prepared.copy(graph)
    _CHANGES[change](graph)
    assert (graph.nodes, graph.library) != (before.nodes, before.library)
    # The transform alone: TensorFlow, which the pipeline asks first, rejects some of these graphs.
    inputs, outputs = lstms.names(created)
    context = Context(tuple(inputs), tuple(outputs), Parameters("fuse_lstm"), evaluator)
    after = fuse_lstm.apply(prepared.copy(graph), context)
    assert (after.nodes, after.library) == (graph.nodes, graph.library)


@pytest.mark.parametrize(("end", "value"), [("time", 1), ("/y", 2)])
@pytest.mark.parametrize("form", extent.some(tuple(FORMS), "functional"))
def test_other_counters(end: str, value: int, form: str, evaluator: Evaluator) -> None:
    """Counters that start at 1 or count by 2."""
    created, graph = _folded(form, evaluator)
    changed = [n for n in _all_nodes(graph) if n.op == "Const" and n.name.endswith(end)]
    assert changed
    for node in changed:
        node.attr["value"].tensor.CopyFrom(
            nodes.tensor(nodes.constant("", np.array(value, _INT), ()))
        )
    after = pipeline.transform(prepared.copy(graph), _FUSE, *lstms.names(created), evaluator)
    assert (after.nodes, after.library) == (graph.nodes, graph.library)


@pytest.mark.parametrize("op", ["MatMul", "Switch", "Merge", "LoopCond"])
def test_fetched_nodes_in_the_loop(op: str, evaluator: Evaluator) -> None:
    created, graph = _folded("lowered", evaluator)
    outputs = [*lstms.names(created)[1], _only(graph, op).name]
    after = pipeline.transform(prepared.copy(graph), _FUSE, ["x"], outputs, evaluator)
    assert after.nodes == graph.nodes


def test_fetched_loop(evaluator: Evaluator) -> None:
    created, graph = _folded("functional", evaluator)
    outputs = [*lstms.names(created)[1], f"{_only(graph, 'StatelessWhile').name}:4"]
    after = pipeline.transform(prepared.copy(graph), _FUSE, ["x"], outputs, evaluator)
    assert after.nodes == graph.nodes


@pytest.mark.parametrize(
    ("form", "op"),
    [
        ("functional", "StatelessWhile"),
        ("functional", "TensorListFromTensor"),
        ("functional", "TensorListStack"),
        ("lowered", "TensorListGetItem"),
        ("lowered", "MatMul"),
        ("lowered", "Exit"),
    ],
)
def test_fed_nodes(form: str, op: str, evaluator: Evaluator) -> None:
    created, graph = _folded(form, evaluator)
    inputs = ("x", _only(graph, op).name)
    context = Context(inputs, tuple(lstms.names(created)[1]), Parameters("fuse_lstm"), evaluator)
    assert fuse_lstm.apply(prepared.copy(graph), context).nodes == graph.nodes


def test_fed_weights(evaluator: Evaluator) -> None:
    created, graph = _folded("functional", evaluator)
    (weights,) = (n for n in graph.nodes if n.op == "Const" and "recurrent_kernel" in n.name)
    inputs, outputs = ["x", weights.name], lstms.names(created)[1]
    after = pipeline.transform(prepared.copy(graph), _FUSE, inputs, outputs, evaluator)
    assert after.nodes == graph.nodes


@pytest.mark.parametrize(("form", "op"), [("functional", "StatelessWhile"), ("lowered", "Exit")])
def test_loop_with_control_outputs(form: str, op: str, evaluator: Evaluator) -> None:
    created, graph = _folded(form, evaluator)
    by_name(graph)["y"].input.append(f"^{_only(graph, op).name}")
    after = pipeline.transform(
        prepared.copy(graph), _FUSE, ["x"], lstms.names(created)[1], evaluator
    )
    assert after.nodes == graph.nodes


def test_counter_with_readers(evaluator: Evaluator) -> None:
    created, graph = _folded("functional", evaluator)
    loop = _only(graph, "StatelessWhile")
    graph.nodes.append(NodeDef(name="times", op="Neg", input=[f"{loop.name}:2"]))
    graph.nodes[-1].attr["T"].type = nodes.INT32
    outputs = [*lstms.names(created)[1], "times"]
    after = pipeline.transform(prepared.copy(graph), _FUSE, ["x"], outputs, evaluator)
    assert after.nodes == graph.nodes


@pytest.mark.parametrize("form", extent.some(tuple(FORMS), "functional"))
def test_a_state_of_one_row_for_a_batch(form: str, evaluator: Evaluator) -> None:
    """The loop would broadcast it, but the op requires a state of the batch size."""
    created, graph = _folded(form, evaluator)
    placeholder = by_name(graph)["x"].attr["shape"].shape
    placeholder.dim[0].size = -1
    after = pipeline.transform(
        prepared.copy(graph), _FUSE, ["x"], lstms.names(created)[1], evaluator
    )
    assert after.nodes == graph.nodes
