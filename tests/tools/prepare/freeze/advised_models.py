"""The files that the command lines in test_message_advice.py name, for one form of loops."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import prepared
import programs
import tensorflow as tf

v1 = tf.compat.v1
FORMS = ("no loop", "frames", "functional")


@contextmanager
def control_flow(form: str) -> Iterator[None]:
    """Draws loops as in a form."""
    if form == "functional":
        yield
        return
    v1.disable_control_flow_v2()
    try:
        yield
    finally:
        v1.enable_control_flow_v2()


def _looped(x: tf.Tensor, form: str, count: object = 3) -> tf.Tensor:
    if form == "no loop":
        return x
    return v1.while_loop(
        lambda i, _: i < count, lambda i, v: (i + 1, tf.tanh(v) * 0.5 + x), [tf.constant(0), x]
    )[1]


def _draw_state(x: tf.Tensor) -> None:
    """Draws outputs that a frozen graph cannot have."""
    counter = v1.get_variable("counter", initializer=0.0, use_resource=True)
    count = v1.assign_add(counter, 1.0)
    tf.identity(count + tf.reduce_sum(x), name="counted")
    with tf.control_dependencies([v1.Assert(count < 9.0, [count])]):
        tf.identity(x, name="asserted")
    keys = tf.lookup.KeyValueTensorInitializer(tf.constant([1], tf.int64), tf.constant([2.0]))
    tf.identity(tf.lookup.StaticHashTable(keys, 0.0).export()[1], name="exported")


def _draw(form: str) -> tuple[dict[str, tf.Tensor], tf.Tensor, tf.Variable]:
    x = v1.placeholder(tf.float32, [2, 4], "x")
    other = v1.placeholder(tf.float32, [2, 2], "other")
    low, high = tf.split(x, 2, 1, name="halves")
    weights = v1.get_variable("weights", [8, 1], use_resource=False)
    rows = tf.gather(weights, tf.cast(tf.abs(high), tf.int64))
    y = tf.add(_looped(low, form) + other, tf.squeeze(rows, -1), name="y")
    return {"x": x, "other": other}, y, weights


def _write_model(form: str) -> None:
    with tf.Graph().as_default() as graph, v1.Session() as session:
        inputs, y, weights = _draw(form)
        _draw_state(inputs["x"])
        plain = v1.global_variables()
        tf.train.ExponentialMovingAverage(0.9).apply([weights])
        session.run(v1.variables_initializer(plain))  # averages start with these
        session.run([v1.global_variables_initializer(), v1.tables_initializer()])
        savers = {"model.ckpt": v1.train.Saver(plain), "averaged.ckpt": v1.train.Saver()}
        for name, saver in savers.items():
            saver.save(session, name, write_meta_graph=False, write_state=False)
        Path("graph.pb").write_bytes(graph.as_graph_def().SerializeToString())
        v1.train.export_meta_graph("model.meta", graph=graph)
        v1.train.export_meta_graph("meta.pbtxt", graph=graph, as_text=True)
        v1.saved_model.simple_save(session, "saved", inputs, {"y": y})
        builder = v1.saved_model.Builder("silent")
        signature = v1.saved_model.build_signature_def(
            {"x": v1.saved_model.build_tensor_info(inputs["x"])}, {}
        )
        builder.add_meta_graph_and_variables(session, ["serve"], {"serving_default": signature})
        builder.save()


def _write(name: str, draw: Callable[[], Any]) -> None:
    with tf.Graph().as_default() as graph:
        draw()
    Path(name).write_bytes(graph.as_graph_def().SerializeToString())


def _draw_convolution(form: str) -> None:
    x = v1.placeholder(tf.float32, programs.SHAPE, "x")
    y = tf.nn.conv2d(x, prepared.noise(3, 3, 2, 2), 1, "SAME", name="conv")
    tf.tanh(_looped(tf.nn.bias_add(y, prepared.noise(2)), form), name="y")


def _draw_small(form: str, output: str = "y", has_other: bool = False) -> None:
    x = v1.placeholder(tf.float32, [2], "x")
    if has_other:
        tf.identity(v1.placeholder(tf.float32, [2], "unused"), name="alone")
    middle = tf.exp(_looped(x, form), name="middle")
    tf.add(middle, 1.0, name=output)


def _draw_examples(form: str) -> None:
    examples = tf.data.Dataset.from_tensors(tf.zeros([2]))
    x = v1.data.make_one_shot_iterator(examples).get_next()
    tf.exp(_looped(x, form), name="y")


def _draw_read(form: str) -> None:
    _draw_small(form)
    y = v1.get_default_graph().get_tensor_by_name("y:0")
    with tf.control_dependencies([y]):
        tf.no_op("last")


def _draw_unknown_count(form: str) -> None:
    x = v1.placeholder(tf.float32, [], "x")
    tf.identity(_looped(x, form, tf.cast(x, tf.int32)), name="y")


def _draw_number(form: str) -> None:
    text = v1.placeholder(tf.string, [], "x")
    tf.identity(_looped(tf.strings.to_number(text), form), name="y")


def _write_table(form: str) -> None:
    """Writes a model that reads rows of a variable, and its checkpoint."""
    with tf.Graph().as_default() as graph, v1.Session() as session:
        ids = v1.placeholder(tf.int64, [4], "x")
        weights = v1.get_variable("weights", [8, 1], use_resource=False)
        tf.tanh(_looped(tf.gather(weights, ids), form), name="y")
        session.run(v1.global_variables_initializer())
        v1.train.Saver().save(session, "table.ckpt", write_meta_graph=False, write_state=False)
    Path("table.pb").write_bytes(graph.as_graph_def().SerializeToString())


def write(form: str) -> None:
    """Writes all files into the current folder."""
    with control_flow(form):
        _write_model(form)
        _write("conv.pb", lambda: _draw_convolution(form))
        _write("small.pb", lambda: _draw_small(form))
        _write("more.pb", lambda: _draw_small(form, has_other=True))
        _write("renamed.pb", lambda: _draw_small(form, "z"))
        _write("examples.pb", lambda: _draw_examples(form))
        _write("read.pb", lambda: _draw_read(form))
        _write("count.pb", lambda: _draw_unknown_count(form))
        _write("number.pb", lambda: _draw_number(form))
        _write_table(form)
    np.savez("x.npz", x=programs.inputs()[0])
    np.savez("number.npz", x=np.array([b"1.5"]))
    Path("empty.log").write_text("")
    Path("empty.json").write_text("{}")


def write_ranges() -> None:
    """Writes the ranges in ranges.json again, each time with another fault."""
    document = json.loads(Path("ranges.json").read_text())
    means = document["means"]
    faults = {
        "no_ranges": {"ranges": []},
        "no_means": {"means": []},
        "other_node": {"means": [{**one, "node": "con"} for one in means]},
        "other_count": {"means": [{**one, "means": [0.0]} for one in means]},
    }
    for name, fault in faults.items():
        Path(f"{name}.json").write_text(json.dumps({**document, **fault}))
