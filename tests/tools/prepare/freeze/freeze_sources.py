"""Models of each form that can be frozen, created by full TensorFlow, with their outputs."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import tensorflow as tf

v1 = tf.compat.v1
Arrays = Mapping[str, Any]
_X = np.random.default_rng(7).random((3, 4), np.float32)


@dataclass(frozen=True)
class Source:
    """A model: its path, the options to freeze it, and arrays by the frozen graph's inputs and outputs."""

    path: Path
    feeds: Arrays
    expected: Arrays
    options: Mapping[str, Any] = field(default_factory=dict)


def _dense(x: Any, use_resource: bool) -> Any:
    with v1.variable_scope("dense", use_resource=use_resource, reuse=v1.AUTO_REUSE):
        weights = v1.get_variable("w", [4, 2], initializer=v1.random_normal_initializer(seed=1))
        bias = v1.get_variable("b", [2], initializer=v1.random_normal_initializer(seed=2))
    return v1.nn.softmax(v1.matmul(x, weights) + bias, name="scores")


def _simple_save(session: Any, folder: Path, inputs: Arrays, outputs: Arrays, init: Any) -> None:
    build = v1.saved_model.build_tensor_info
    signature = v1.saved_model.build_signature_def(
        {k: build(t) for k, t in inputs.items()}, {k: build(t) for k, t in outputs.items()}
    )
    builder = v1.saved_model.Builder(str(folder))
    builder.add_meta_graph_and_variables(
        session,
        ["serve"],
        {"serving_default": signature},
        assets_collection=v1.get_collection(v1.GraphKeys.ASSET_FILEPATHS),
        main_op=init,
    )
    builder.save()


def v1_saved_model(folder: Path, use_resource: bool = False) -> Source:
    """A TensorFlow 1 SavedModel with variables; an internal node has an output's name."""
    with tf.Graph().as_default(), v1.Session() as session:
        x = v1.placeholder(tf.float32, [None, 4], name="x")
        scores = _dense(x, use_resource)
        v1.add(scores, 1.0, name="probabilities")
        session.run(v1.global_variables_initializer())
        _simple_save(session, folder, {"features": x}, {"probabilities": scores}, None)
        expected = session.run(scores, {x: _X})
    return Source(folder, {"features": _X}, {"probabilities": expected})


def v1_table(folder: Path, vocabulary: Path | None = None) -> Source:
    """A TensorFlow 1 SavedModel with a table from a list or a text file, and some unknown words."""
    words = np.array([[b"one", b"none"], [b"three", b""]], object)
    with tf.Graph().as_default(), v1.Session() as session:
        x = v1.placeholder(tf.string, [None, 2], name="words")
        if vocabulary:
            vocabulary.write_text("zero\none\ntwo\nthree\n")
            content: Any = tf.lookup.TextFileInitializer(
                str(vocabulary), tf.string, tf.lookup.TextFileIndex.WHOLE_LINE,
                tf.int64, tf.lookup.TextFileIndex.LINE_NUMBER,
            )  # fmt: skip
        else:
            content = tf.lookup.KeyValueTensorInitializer(
                ["zero", "one", "two", "three"], np.arange(4, dtype=np.int64)
            )
        table = tf.lookup.StaticHashTable(content, -1)
        numbers = table.lookup(x)
        size = table.size()
        init = v1.tables_initializer()
        session.run(init)
        _simple_save(session, folder, {"words": x}, {"numbers": numbers, "size": size}, init)
        expected = session.run({"numbers": numbers, "size": size}, {x: words})
    return Source(folder, {"words": words}, expected)


def two_signatures(folder: Path) -> Path:
    """A SavedModel with a variable: serving_default has a Relu, the signature "other" a Cosh."""
    module = tf.Module()
    module.scale = tf.Variable(2.0)
    features = tf.TensorSpec([1, 6], tf.float32, name="features")
    signatures = {
        "serving_default": tf.function(lambda features: {"y": tf.nn.relu(features * module.scale)}),
        "other": tf.function(lambda features: {"z": tf.math.cosh(features) * module.scale}),
    }
    concrete = {
        name: created.get_concrete_function(features) for name, created in signatures.items()
    }
    tf.saved_model.save(module, str(folder), concrete)
    return folder


def keras_model() -> Any:
    """A small Keras model with a batch norm."""
    tf.keras.utils.set_random_seed(3)
    layers = tf.keras.layers
    return tf.keras.Sequential(
        [layers.Input((4,), name="features"), layers.Dense(8, "relu"), layers.BatchNormalization(),
         layers.Dense(2, name="scores")]
    )  # fmt: skip


def lstm_model() -> Any:
    """A recurrent Keras model: While, TensorLists, nested functions."""
    tf.keras.utils.set_random_seed(4)
    layers = tf.keras.layers
    return tf.keras.Sequential(
        [layers.Input((4, 1), name="features"), layers.LSTM(3), layers.Dense(2, name="scores")]
    )


def v1_control_flow(folder: Path) -> Source:
    """Switch, Merge, Enter and Exit with function calls, both kinds of variables and a table inside."""
    step = tf.function(lambda value: value * 0.5 + tf.constant([1.0, 2.0]))
    fixed = tf.function(lambda: tf.constant([3.0, 4.0]))
    v1.disable_control_flow_v2()
    try:
        with tf.Graph().as_default(), v1.Session() as session:
            x = v1.placeholder(tf.float32, [2], name="x")
            numbers = v1.get_variable(
                "n", [2], initializer=v1.random_normal_initializer(seed=1), use_resource=False
            )
            others = v1.get_variable(
                "o", [2], initializer=v1.random_normal_initializer(seed=2), use_resource=True
            )
            content = tf.lookup.KeyValueTensorInitializer([0, 2], [10.0, 20.0], tf.int32)
            table = tf.lookup.StaticHashTable(content, 5.0)

            def body(i: Any, y: Any) -> Any:
                return i + 1, step(y) * numbers + others + table.lookup(i)

            _, looped = tf.while_loop(lambda i, y: i < 4, body, (0, x))
            branched = tf.cond(tf.reduce_sum(x) > 0.0, lambda: fixed() + looped, lambda: fixed())
            init = v1.tables_initializer()
            session.run([init, v1.global_variables_initializer()])
            _simple_save(session, folder, {"x": x}, {"looped": looped, "branched": branched}, init)
            array = np.array([1, -0.5], np.float32)
            expected = session.run({"looped": looped, "branched": branched}, {x: array})
    finally:
        v1.enable_control_flow_v2()
    return Source(folder, {"x": array}, expected)


def v1_condition(folder: Path) -> Source:
    """A SavedModel with an update in a branch that runs only if an input that is not in the signature is changed."""
    v1.disable_control_flow_v2()
    try:
        with tf.Graph().as_default(), v1.Session() as session:
            x = v1.placeholder(tf.float32, [None, 2], name="x")
            training = v1.placeholder_with_default(tf.constant(False), [], name="is_training")
            mean = v1.get_variable(
                "m", [2], initializer=v1.random_normal_initializer(seed=1), use_resource=True
            )

            def trained() -> Any:
                with tf.control_dependencies([mean.assign(mean * 0.9)]):
                    return tf.identity(x)

            y = tf.cond(training, trained, lambda: x - mean.read_value())
            session.run(v1.global_variables_initializer())
            _simple_save(session, folder, {"x": x}, {"y": y}, None)
            expected = session.run(y, {x: _X[:, :2]})
    finally:
        v1.enable_control_flow_v2()
    return Source(folder, {"x": _X[:, :2]}, {"y": expected})


def v2_condition(folder: Path) -> Source:
    """A SavedModel with an update in a branch that never runs, and one of a variable that no output reads."""
    module = tf.Module()
    module.mean = tf.Variable([0.5, 1.5])
    module.calls = tf.Variable(0.0)

    def call(x: Any) -> Any:
        def trained() -> Any:
            module.mean.assign(module.mean * 0.9)
            return tf.identity(x)

        module.calls.assign_add(1.0)
        return {"y": tf.cond(tf.constant(False), trained, lambda: x - module.mean)}

    module.call = tf.function(call, input_signature=[tf.TensorSpec([None, 2], name="x")])
    tf.saved_model.save(module, str(folder), signatures=module.call)
    x = _X[:, :2]
    return Source(folder, {"x": x}, {"y": module.call(x)["y"].numpy()})


def words_model(folder: Path) -> Source:
    """A Keras model that splits sentences into words and looks them up."""
    tf.keras.utils.set_random_seed(5)
    layers = tf.keras.layers
    words = layers.TextVectorization(output_mode="int", output_sequence_length=4)
    words.adapt(["the cat sat", "the dog ran"])
    model = tf.keras.Sequential(
        [
            layers.Input((1,), dtype=tf.string, name="text"),
            words,
            layers.Embedding(10, 2, name="rows"),
        ]
    )
    tf.saved_model.save(model, str(folder))
    text = np.array([[b"The cat, ran!"], [b"mouse"]], object)
    return Source(folder, {"text": text}, {"rows": model(text).numpy()})


def keras_file(path: Path, model: Any) -> Source:
    """`model` as a .keras or .h5 file, or as a TensorFlow 2 SavedModel."""
    if path.suffix:
        model.save(path)
    else:
        tf.saved_model.save(model, str(path))
    feeds = _X.reshape(3, 4, 1) if len(model.input_shape) == 3 else _X
    return Source(path, {"features": feeds}, {"scores": model(feeds).numpy()})


def keras_call(folder: Path, model: Any) -> Source:
    """A SavedModel with a function that calls a recurrent model: no layer is traced by itself."""
    module = tf.Module()
    module.weights = model.weights
    module.call = tf.function(
        lambda features: {"scores": model(features)},
        input_signature=[tf.TensorSpec(model.input_shape, name="features")],
    )
    tf.saved_model.save(module, str(folder), signatures=module.call)
    feeds = _X.reshape(3, 4, 1)
    return Source(folder, {"features": feeds}, {"scores": module.call(feeds)["scores"].numpy()})


def _vector(dtype: Any, name: str) -> list[Any]:
    return [tf.TensorSpec([None], dtype, name=name)]


def v2_table(folder: Path) -> Source:
    """A TensorFlow 2 SavedModel: a static integer table, used inside and outside a loop, and a gathered variable."""
    keys = np.array([7, -3, 100], np.int64)
    content = tf.lookup.KeyValueTensorInitializer(keys, np.array([0, 1, 2], np.int64))
    module = tf.Module()
    module.table = tf.lookup.StaticHashTable(content, 1)
    module.rows = tf.Variable(np.arange(12, dtype=np.float32).reshape(4, 3))

    def look_up(ids: Any) -> Any:
        rows = tf.gather(module.rows, module.table.lookup(ids))
        total = tf.zeros([3])
        for step in tf.range(3):
            picked = module.table.lookup(ids + tf.cast(step, tf.int64))
            total += tf.reduce_sum(tf.gather(module.rows, picked), 0)
        return {"rows": rows, "total": total}

    module.look_up = tf.function(look_up, input_signature=_vector(tf.int64, "ids"))
    tf.saved_model.save(module, str(folder), signatures=module.look_up)
    array = np.array([100, 5, -3, -5], np.int64)
    return Source(folder, {"ids": array}, {k: v.numpy() for k, v in module.look_up(array).items()})


def v2_file_table(folder: Path) -> Source:
    """A TensorFlow 2 SavedModel with a table from a text file asset: prices by name."""
    prices = folder.with_suffix(".txt")
    prices.write_text("tea 2.5\ncoffee 3.0\n")
    content = tf.lookup.TextFileInitializer(str(prices), tf.string, 0, tf.float32, 1, delimiter=" ")
    module = tf.Module()
    module.table = tf.lookup.StaticHashTable(content, -1.0)
    module.price = tf.function(
        lambda names: {"prices": module.table.lookup(names)},
        input_signature=_vector(tf.string, "names"),
    )
    names = np.array([b"tea", b"milk", b"coffee"], object)
    expected = module.price(names)["prices"].numpy()
    tf.saved_model.save(module, str(folder), signatures=module.price)
    prices.unlink()
    return Source(folder, {"names": names}, {"prices": expected})


def mutable_table(folder: Path) -> Source:
    """A SavedModel with a table that is stored in its checkpoint."""
    module = tf.Module()
    module.table = tf.lookup.experimental.MutableHashTable(tf.string, tf.float32, 0.5)
    module.table.insert(["b", "a"], [2.0, 1.0])

    def learn(keys: Any) -> Any:
        module.table.insert(keys, tf.ones(tf.shape(keys)))
        return {"found": module.table.lookup(keys)}

    signature = _vector(tf.string, "keys")
    module.find = tf.function(
        lambda keys: {"found": module.table.lookup(keys)}, input_signature=signature
    )
    module.learn = tf.function(learn, input_signature=signature)
    signatures = {"serving_default": module.find, "learn": module.learn}
    tf.saved_model.save(module, str(folder), signatures=signatures)
    array = np.array([b"a", b"b", b"c"], object)
    return Source(folder, {"keys": array}, {"found": module.find(array)["found"].numpy()})


def counter(folder: Path) -> Source:
    """A SavedModel that changes a variable when it runs, except in one signature."""
    module = tf.Module()
    module.calls = tf.Variable(0.0, name="calls")

    def count(x: Any) -> Any:
        module.calls.assign_add(1.0)
        return {"y": x + module.calls}

    def checked(x: Any) -> Any:
        tf.debugging.assert_greater(x, 0.0)
        return {"x": x * 2.0 + module.calls}

    signature = [tf.TensorSpec([2], tf.float32, name="x")]
    module.count = tf.function(count, input_signature=signature)
    module.checked = tf.function(checked, input_signature=signature)
    signatures = {"serving_default": module.count, "checked": module.checked}
    tf.saved_model.save(module, str(folder), signatures=signatures)
    array = np.array([1, 2], np.float32)
    return Source(folder, {"x": array}, {"x_output": array * 2}, {"signature": "checked"})


def v2_control_flow(folder: Path) -> Source:
    """Nested If, Case and While, with calls and variables of several types inside."""
    module = tf.Module()
    module.weight = tf.Variable([1.0, 2.0])
    module.half = tf.Variable([0.5, 0.25], dtype=tf.float16)
    module.on = tf.Variable([True, False])
    module.label = tf.Variable(["one", "two"])
    module.rows = tf.Variable(np.arange(12, dtype=np.float32).reshape(3, 2, 2))
    module.open = tf.Variable([3.0, 4.0], shape=tf.TensorShape(None))
    scaled = tf.function(lambda x: x * module.weight)

    def looped(x: Any) -> Any:
        for step in tf.range(tf.shape(module.rows)[0]):
            if x[0] > 2.0:
                x = scaled(x) - tf.ensure_shape(module.open, [2])
            else:
                x += tf.gather_nd(module.rows, [[step, 0], [step, 1]])[:, 1]
        return x

    def call(x: Any, which: Any) -> Any:
        branches = [
            lambda: scaled(x),
            lambda: looped(x),
            lambda: tf.where(module.on, x, tf.cast(module.half, tf.float32)),
        ]
        y = tf.switch_case(which, branches)
        return {"y": y, "label": tf.gather(module.label, [which % 2])}

    signature = [
        tf.TensorSpec([2], tf.float32, name="x"),
        tf.TensorSpec([], tf.int32, name="which"),
    ]
    module.call = tf.function(call, input_signature=signature)
    tf.saved_model.save(module, str(folder), signatures=module.call)
    feeds = {"x": np.array([1, -1], np.float32), "which": np.array(1, np.int32)}
    return Source(folder, feeds, {k: v.numpy() for k, v in module.call(**feeds).items()})


def partitioned(folder: Path, meta: bool) -> Source:
    """A partitioned variable, which the checkpoint stores as one."""
    folder.mkdir(parents=True, exist_ok=True)
    with tf.Graph().as_default() as graph, v1.Session() as session:
        x = v1.placeholder(tf.float32, [None, 4], name="x")
        with v1.variable_scope("m", partitioner=v1.fixed_size_partitioner(2)):
            weight = v1.get_variable("w", [4, 2], initializer=v1.random_normal_initializer(seed=1))
        y = v1.matmul(x, tf.convert_to_tensor(weight), name="y")
        session.run(v1.global_variables_initializer())
        prefix = v1.train.Saver().save(session, str(folder / "model.ckpt"))
        (folder / "graph.pb").write_bytes(graph.as_graph_def().SerializeToString())
        expected = session.run(y, {x: _X})
    path = folder / ("model.ckpt.meta" if meta else "graph.pb")
    options = {"checkpoint": prefix, "outputs": ("y",)}
    return Source(path, {"x": _X}, {"y": expected}, options)


def checkpointed(
    folder: Path, use_resource: bool, version: int = 2, averages: bool = False, meta: bool = False
) -> Source:
    """A GraphDef or MetaGraphDef and a checkpoint."""
    folder.mkdir(parents=True, exist_ok=True)
    with tf.Graph().as_default() as graph, v1.Session() as session:
        x = v1.placeholder(tf.float32, [None, 4], name="x")
        scores = _dense(x, use_resource)
        plain = graph.as_graph_def()
        average = tf.train.ExponentialMovingAverage(0.5)
        update = average.apply(v1.trainable_variables())
        weights = v1.trainable_variables()
        names = {v.name for v in weights}
        session.run(v1.variables_initializer(weights))
        session.run(
            v1.variables_initializer([v for v in v1.global_variables() if v.name not in names])
        )
        change = [v1.assign(v, v * 3.0) for v in weights]
        session.run(change)
        session.run(update)
        saver = v1.train.Saver(write_version=version)
        prefix = saver.save(session, str(folder / "model.ckpt"))
        expected = session.run(scores, {x: _X})
        if averages:
            shadows = [v1.assign(v, average.average(v)) for v in v1.trainable_variables()]
            session.run(shadows)
            expected = session.run(scores, {x: _X})
    (folder / "graph.pb").write_bytes(plain.SerializeToString())
    path = folder / ("model.ckpt.meta" if meta else "graph.pb")
    options = {"checkpoint": prefix, "outputs": ("scores",), "moving_averages": averages}
    return Source(path, {"x": _X}, {"scores": expected}, options)


def frozen_graph(path: Path) -> Source:
    """A GraphDef without variables."""
    with tf.Graph().as_default() as graph:
        x = v1.placeholder(tf.float32, [2], name="x")
        tf.multiply(x, tf.constant([2.0, 3.0]), name="y")
    path.write_bytes(graph.as_graph_def().SerializeToString())
    return Source(path, {"x": np.ones(2, np.float32)}, {"y": np.array([2, 3], np.float32)})


MAKERS: Mapping[str, Callable[[Path], Source]] = {
    "v1 reference variables": v1_saved_model,
    "v1 resource variables": lambda folder: v1_saved_model(folder, True),
    "v1 table": v1_table,
    "v1 table of a file": lambda folder: v1_table(folder, folder.with_suffix(".txt")),
    "v1 control flow": v1_control_flow,
    "v1 condition": v1_condition,
    "v2 Keras": lambda folder: keras_file(folder, keras_model()),
    "v2 LSTM": lambda folder: keras_call(folder, lstm_model()),
    "v2 control flow": v2_control_flow,
    "v2 condition": v2_condition,
    "v2 table": v2_table,
    "v2 table of a file": v2_file_table,
    "v2 mutable table": mutable_table,
    "v2 words": words_model,
    "v2 assertion": counter,
    ".keras": lambda folder: keras_file(folder.with_suffix(".keras"), keras_model()),
    ".h5": lambda folder: keras_file(folder.with_suffix(".h5"), keras_model()),
    "checkpoint V2, references": lambda folder: checkpointed(folder, False),
    "checkpoint V1, references": lambda folder: checkpointed(folder, False, 1),
    "checkpoint V2, resources": lambda folder: checkpointed(folder, True),
    "checkpoint V1, resources": lambda folder: checkpointed(folder, True, 1),
    "moving averages": lambda folder: checkpointed(folder, True, averages=True),
    "variable in parts": lambda folder: partitioned(folder, False),
    "variable in parts, .meta": lambda folder: partitioned(folder, True),
    ".meta, references": lambda folder: checkpointed(folder, False, meta=True),
    ".meta, resources": lambda folder: checkpointed(folder, True, meta=True),
}
