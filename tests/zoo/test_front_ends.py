"""Equal models in different files give equal selections; a signature gives just its part."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest
import tensorflow as tf

from tfcarve.errors import BadInput
from tfcarve.models import read
from tfcarve.selection.selection import Selection
from zoo import keeping
from zoo.selecting import selected, tensorflow_index


def _needs(selection: Selection) -> tuple[object, ...]:
    """A selection without who needs what: Keras numbers the functions of a process."""
    kernels = [replace(k, needed_by=()) for k in selection.kernels]
    ops = [replace(o, needed_by=()) for o in selection.ops]
    return (ops, kernels, selection.files, selection.helpers, selection.added_by_runtime)


def _network() -> tf.keras.Model:
    layers = tf.keras.layers
    taken = layers.Input((8, 8, 3))
    seen = layers.BatchNormalization()(layers.Conv2D(4, 3, activation="relu")(taken))
    return tf.keras.Model(taken, layers.Dense(2, activation="softmax")(layers.Flatten()(seen)))


def test_keras_files(tmp_path: Path) -> None:
    network = _network()
    tf.saved_model.save(network, str(tmp_path / "saved"))
    expected = _needs(selected(tmp_path / "saved"))
    for name in ("model.keras", "model.h5"):
        network.save(tmp_path / name)
        selection = selected(tmp_path / name)
        assert _needs(selection) == expected
        (facts,) = selection.models
        assert (facts.path, facts.format) == (str(tmp_path / name), "keras")
    (served,) = selected(
        tmp_path / "model.h5", choice=read.Choice(signatures=("serving_default",))
    ).models
    assert served.signatures == ("serving_default",)


def test_code_in_a_keras_file_is_not_run(tmp_path: Path) -> None:
    layers = tf.keras.layers
    code = tf.keras.Sequential([layers.Input((2,)), layers.Lambda(lambda x: x * 2.0)])
    for name, message in [("code.keras", "Lambda"), ("code.h5", "it has a Lambda layer, code")]:
        code.save(tmp_path / name)
        with pytest.raises(BadInput, match=f"{name}: Keras cannot load or save it: .*{message}"):
            read.read(tmp_path / name)
    (tmp_path / "broken.keras").write_bytes(b"no archive")
    with pytest.raises(
        BadInput, match=r"broken.keras: Keras cannot load or save it: .*: save it as a"
    ):
        read.read(tmp_path / "broken.keras")


def _ops(signatures: tuple[str, ...] = ()) -> Mapping[str, object]:
    model = keeping.kept("learner, SavedModel").model
    selection = selected(model, choice=read.Choice(signatures=signatures))
    return {op.name: op for op in selection.ops}


def test_signatures() -> None:
    whole, trains, infers = _ops(), _ops(("train",)), _ops(("infer",))
    assert infers.keys() < trains.keys() | {"ArgMax"} < whole.keys()
    assert "AssignAddVariableOp" in trains and "AssignAddVariableOp" not in infers
    assert {"SaveV2", "RestoreV2"} <= whole.keys() - trains.keys() - infers.keys()
    assert _ops(("train", "infer")).keys() == trains.keys() | infers.keys()


def test_a_graph_and_its_text(tmp_path: Path) -> None:
    from google.protobuf import text_format

    graph = tf.compat.v1.GraphDef.FromString(keeping.kept("v1 LSTM").model.read_bytes())
    (tmp_path / "m.pb").write_bytes(graph.SerializeToString())
    (tmp_path / "m.pbtxt").write_text(text_format.MessageToString(graph))
    meta = tf.compat.v1.MetaGraphDef(graph_def=graph)
    (tmp_path / "m.meta").write_bytes(meta.SerializeToString())
    binary, text, with_meta = (selected(tmp_path / n) for n in ("m.pb", "m.pbtxt", "m.meta"))
    assert _needs(binary) == _needs(text) == _needs(with_meta)


def test_training(tmp_path: Path) -> None:
    """What TensorFlow's C++ gradients of a small network are made of (math_grad.cc, nn_grad.cc), and optimizers."""
    (tmp_path / "l.yaml").write_text(
        "ops: [Conv2D, Relu, BiasAdd, MatMul, Square]\ndtypes: [float]\ntraining: true\n"
    )
    selection = selected(tmp_path / "l.yaml")
    classes = {(k.op, k.clazz) for k in selection.kernels}
    assert {
        ("Conv2DBackpropFilter", "Conv2DCustomBackpropFilterOp<CPUDevice, float>"),
        ("Conv2DBackpropInput", "Conv2DCustomBackpropInputOp<CPUDevice, float>"),
        ("ReluGrad", "ReluGradOp<CPUDevice, float>"),
        ("BiasAddGrad", "BiasGradOp<CPUDevice, float>"),
        ("ResourceApplyAdam", "ApplyAdamOp<CPUDevice, float>"),
    } <= classes
    assert {"Cast", "Mul"} <= {op for op, _ in classes}
    grads = {"tensorflow/core/ops/math_grad.cc", "tensorflow/core/ops/nn_grad.cc"}
    assert grads <= set(selection.gradient_files) <= set(selection.files)
    assert not any("double" in c for op, c in classes if "Apply" in op or "Grad" in op)


def test_every_gradient_is_made_of_something() -> None:
    made_of = {g.op: g.ops for g in tensorflow_index().gradients() if g.function}
    assert len(made_of) > 80
    # That of a variable's read hands on what flows back.
    assert {op for op, ops in made_of.items() if not ops} == {"ReadVariableOp"}
