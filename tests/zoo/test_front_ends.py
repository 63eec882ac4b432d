"""Equal models in different formats have equal selections, and a signature selects only what it needs."""

from __future__ import annotations

import json
import re
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
import tensorflow as tf
from msgspec.structs import replace
from tensorflow.python.util import tf_export

from tfcarve.commands.read_model import read_model
from tfcarve.errors import InvalidInput
from tfcarve.models.choice import Choice
from tfcarve.models.keras_config import computes
from tfcarve.prepare.freeze.run import freeze
from tfcarve.releases import known
from tfcarve.selection.selection import Selection
from zoo import cached
from zoo.selecting import selected, tensorflow_index

pytest_plugins = ["forked"]
pytestmark = pytest.mark.usefixtures("forked")

_CALLS = "keras.src.layers.core.tf_op_layer"
# Modules with APIs that have other effects than computing.
_EFFECTS = re.compile(
    r"[._](io|script|logging|lookup|session|summary\w*|dataset|rpc|debug|checkpoint|xla|dtensor)_ops"
    r"|load_library|importer|client|lib\.io|saved_model|python\.data"
)


def _needs(selection: Selection) -> tuple[Any, ...]:
    """Returns a selection without node names, because Keras numbers the functions of a process."""
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
    freeze(tmp_path / "saved", tmp_path / "frozen.pb", known.release())
    expected = _needs(selected(tmp_path / "frozen.pb"))
    assert "ReadVariableOp" in {op.name for op in selected(tmp_path / "saved").ops}
    assert "ReadVariableOp" not in {op.name for op in expected[0]}
    for name in ("model.keras", "model.h5"):
        network.save(tmp_path / name)
        selection = selected(tmp_path / name)
        assert _needs(selection) == expected
        (model,) = selection.models
        assert (model.path, model.format) == (str(tmp_path / name), "keras")
    (served,) = selected(
        tmp_path / "model.h5", choice=Choice(signatures=("serving_default",))
    ).models
    assert tuple(served.signatures) == ("serving_default",)


def test_code_in_a_keras_file_is_not_run(tmp_path: Path) -> None:
    layers = tf.keras.layers
    code = tf.keras.Sequential([layers.Input((2,)), layers.Lambda(lambda x: x * 2.0)])
    for name in ("code.keras", "code.h5"):
        code.save(tmp_path / name)
        with pytest.raises(
            InvalidInput,
            match=f"{name}: is not loaded: it has a Lambda, which runs code",
        ):
            read_model(tmp_path / name, known.release())
    (tmp_path / "broken.keras").write_bytes(b"no archive")
    with pytest.raises(
        InvalidInput,
        match=r"broken.keras: is not loaded: it is neither.*: save it as a",
    ):
        read_model(tmp_path / "broken.keras", known.release())


def _changed(file: Path, name: str, layer: Mapping[str, object]) -> Path:
    """Writes a copy of a .keras file with an additional layer."""
    changed = file.with_name(name)
    with zipfile.ZipFile(file) as archive, zipfile.ZipFile(changed, "w") as to:
        for member in archive.namelist():
            content = archive.read(member)
            if member == "config.json":
                config = json.loads(content)
                config["config"]["layers"].append(layer)
                content = json.dumps(config).encode()
            to.writestr(member, content)
    return changed


def _called(kind: str, module: str, config: Mapping[str, object], first: str, **others: str) -> Any:
    """Returns a layer of a .keras file that is called with strings."""
    settings = {"name": kind, "trainable": True, "dtype": "float32", **config}
    call = ["_CONSTANT_VALUE", -1, first, others]
    return {
        "module": module,
        "class_name": kind,
        "name": kind,
        "registered_name": None,
        "config": settings,
        "inbound_nodes": [[[call]] if kind == "Lambda" else call],
    }


def test_functions_in_a_keras_file_are_not_called(tmp_path: Path) -> None:
    """Keras itself calls them, even in safe mode."""
    _network().save(tmp_path / "model.keras")
    marker = tmp_path / "marker"
    system = {"class_name": "function", "config": "system", "module": "os", "registered_name": "os"}
    program = {
        "function": system,
        "function_type": "function",
        "module": "os",
        "output_shape": None,
        "output_shape_type": "raw",
        "arguments": {},
    }
    write = {"function": "io.write_file"}
    for name, layer, message in [
        (
            "a.keras",
            _called("Lambda", "keras.layers", program, f"touch {marker}"),
            "it has a Lambda",
        ),
        (
            "b.keras",
            _called("TFOpLambda", _CALLS, write, str(marker), contents="x"),
            "it calls TensorFlow's 'io.write_file'",
        ),
    ]:
        file = _changed(tmp_path / "model.keras", name, layer)
        with pytest.raises(InvalidInput, match=message):
            read_model(file, known.release())
        assert not marker.exists()
        with pytest.raises(AttributeError):  # the function that it calls returns no tensor
            tf.keras.models.load_model(file, compile=False, safe_mode=True)
        assert marker.exists()
        marker.unlink()


def test_pickled_weights_are_not_read(tmp_path: Path) -> None:
    _network().save(tmp_path / "model.keras")
    with zipfile.ZipFile(tmp_path / "model.keras", "a") as archive:
        archive.writestr("model.weights.npz", b"")
    with pytest.raises(
        InvalidInput, match=r"its weights are a NumPy \.npz file, which may contain code"
    ):
        read_model(tmp_path / "model.keras", known.release())


def test_layer_that_is_larger_than_the_file(tmp_path: Path) -> None:
    layers = tf.keras.layers
    small, large = tmp_path / "small.keras", tmp_path / "large.keras"
    tf.keras.Sequential([layers.Input((4,)), layers.Dense(4)]).save(small)
    with zipfile.ZipFile(small) as archive, zipfile.ZipFile(large, "w") as to:
        for member in archive.namelist():
            content = archive.read(member).replace(b'"units": 4', b'"units": 60000')
            to.writestr(member, content.replace(b"[null, 4]", b"[null, 60000]"))
    with pytest.raises(InvalidInput, match=r"large\.keras: Keras cannot .*OOM when allocating"):
        read_model(large, known.release())


def test_pure_apis_are_in_pure_modules() -> None:
    where = {
        name: getattr(symbol, "__module__", "")
        for name, symbol in tf_export._NAME_TO_SYMBOL_MAPPING.items()
    }
    known = {name: module for name, module in where.items() if computes(name)}
    assert len(known) > 1500
    assert not {name for name, module in known.items() if _EFFECTS.search(module)}
    # Negative control: APIs that access files or the network, or run code.
    for name in (
        "io.write_file",
        "py_function",
        "load_op_library",
        "print",
        "rpc_call",
        "raw_ops.Save",
    ):
        assert _EFFECTS.search(where[name]) and name not in known


def _ops(signatures: tuple[str, ...] = ()) -> Mapping[str, object]:
    model = cached.load("learner, SavedModel").model
    selection = selected(model, choice=Choice(signatures=signatures))
    return {op.name: op for op in selection.ops}


def test_signatures() -> None:
    whole, trains, infers = _ops(), _ops(("train",)), _ops(("infer",))
    assert infers.keys() < trains.keys() | {"ArgMax"} < whole.keys()
    assert "AssignAddVariableOp" in trains and "AssignAddVariableOp" not in infers
    assert {"SaveV2", "RestoreV2"} <= whole.keys() - trains.keys() - infers.keys()
    assert _ops(("train", "infer")).keys() == trains.keys() | infers.keys()


def test_binary_text_and_meta_graph(tmp_path: Path) -> None:
    from google.protobuf import text_format

    graph = tf.compat.v1.GraphDef.FromString(cached.load("v1 LSTM").model.read_bytes())
    (tmp_path / "m.pb").write_bytes(graph.SerializeToString())
    (tmp_path / "m.pbtxt").write_text(text_format.MessageToString(graph))
    meta = tf.compat.v1.MetaGraphDef(graph_def=graph)
    (tmp_path / "m.meta").write_bytes(meta.SerializeToString())
    binary, text, with_meta = (selected(tmp_path / n) for n in ("m.pb", "m.pbtxt", "m.meta"))
    assert _needs(binary) == _needs(text) == _needs(with_meta)


def test_training(tmp_path: Path) -> None:
    """Selects optimizers and the ops in TensorFlow's C++ gradients of a small network (math_grad.cc, nn_grad.cc)."""
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
    made_of = {g.op: g.ops for g in tensorflow_index().gradients if g.function}
    assert len(made_of) > 80
    # That of a variable's read hands on what flows back.
    assert {op for op, ops in made_of.items() if not ops} == {"ReadVariableOp"}
