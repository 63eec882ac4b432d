"""Tests of Keras files without TensorFlow; tests with TensorFlow are in tests/zoo."""

import importlib.util
import json
import math
import sys
import zipfile
from collections.abc import Mapping
from pathlib import Path

import h5py
import pytest

from tfcarve.commands.read_model import read_model
from tfcarve.errors import InvalidInput
from tfcarve.full_tensorflow import Limits
from tfcarve.models import keras
from tfcarve.models.keras_config import UnsafeError, computes, require_layers_only, require_safe


@pytest.mark.parametrize("name", ["m.keras", "m.h5", "M.HDF5"])
def test_without_tensorflow(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    (tmp_path / name).write_bytes(b"x")
    with pytest.raises(InvalidInput) as raised:
        read_model(tmp_path / name)
    assert f"{name}: is a Keras file: tensorflow is not installed in {sys.executable}" in str(
        raised.value
    )
    assert "tf.saved_model.save" in str(raised.value)


def _layer(kind: object, module: object = "keras.layers", **fields: object) -> Mapping[str, object]:
    return {"module": module, "class_name": kind, "config": {"name": "x"}, **fields}


def _model(*layers: object) -> Mapping[str, object]:
    return _layer("Functional", "keras.src.engine.functional", config={"layers": list(layers)})


def _function(name: str, module: object) -> dict[str, object]:
    return {
        "class_name": "function",
        "config": name,
        "module": module,
        "registered_name": name,
    }


def _calls(kind: str, **config: object) -> Mapping[str, object]:
    return _layer(kind, "keras.src.layers.core.tf_op_layer", config=config)


@pytest.mark.parametrize(
    "layer",
    [
        _layer("Dense", registered_name=None),
        _layer("Dense", None, config={"activation": _function("relu", "builtins")}),
        _layer("CustomScaleLayer", "keras.src.x", registered_name="Custom>CustomScaleLayer"),
        _layer("Bidirectional", config={"layer": {"class_name": "LSTM", "config": {}}}),
        _layer("ConstantInitializer", "tensorflow.python.ops.init_ops_v2"),
        {"class_name": "__tuple__", "items": [1, 2]},
        _layer(
            "__typespec__",
            "tensorflow.python.ops.ragged.ragged_tensor",
            spec_name="RaggedTensorSpec",
            registered_name=None,
        ),
        _calls("TFOpLambda", function="math.add"),
        _calls("TFOpLambda", function="compat.v1.nn.conv2d"),
        _calls("SlicingOpLambda", function="__operators__.getitem"),
        _calls("ClassMethod", cls_ref="RaggedTensor", method_name="from_tensor"),
        "Lambda",
    ],
    ids=str,
)
def test_layers(layer: object) -> None:
    require_layers_only(_model(layer))
    require_layers_only({**_model(layer), "compile_config": {"loss": _function("f", "mine")}})


@pytest.mark.parametrize(
    ("layer", "message"),
    [
        (_layer("Lambda"), "it has a Lambda, which runs code from the file"),
        (_layer("Dense", registered_name="Lambda"), "it has a Lambda, which runs"),
        (_layer("Mine>Lambda"), "it has a Mine>Lambda, which"),
        (_layer("core.Lambda", "keras.src.layers"), "it has the class 'core.Lambda', which is not"),
        (_layer("ResidualWrapper"), "it has a ResidualWrapper, which"),
        (_layer("TensorFlowOpLayer"), "it has a TensorFlowOpLayer, which"),
        (_layer("__lambda__"), "it has a __lambda__, which"),
        (_layer("get_file", "keras.utils"), "it has the class 'get_file', which is not"),
        (_layer(["Dense"]), "which is not part of Keras"),
        (_layer("Popen", "subprocess"), "it refers to the module 'subprocess'"),
        (_layer("Dense", ["keras"]), "it refers to the module"),
        (_layer("Dense", "keras_evil"), "it refers to the module 'keras_evil'"),
        (_layer("Dense", config={"activation": _function("system", "os")}), "the module 'os'"),
        (_layer("Dense", "tensorflow.python.keras.layers"), "the module 'tensorflow.python.keras"),
        (_function("x", "tensorflow.python.ops.init_ops"), "the module 'tensorflow.python.ops.in"),
        (_layer("Dense", config={"activation": _function("get_file", "keras.utils")}), "'keras.ut"),
        (
            _layer("__typespec__", "tensorflow.python.keras.layers.core", spec_name="Lambda"),
            "a Lam",
        ),
        (
            _layer(
                "__typespec__",
                "tensorflow.python.keras.layers.core",
                spec_name="Nothing",
                registered_name="Lambda",
            ),
            "a Lambda",
        ),
        (_layer("__typespec__", "os", spec_name="Spec"), "the module 'os'"),
        (_layer("Dense", config={"activation": _function("eval", "builtins")}), "Python's eval"),
        (
            _layer("Dense", config=_function("relu", "builtins") | {"registered_name": "exec"}),
            "Python's exec",
        ),
        (_layer("__typespec__", "tensorflow", spec_name=7), "it has the class '7'"),
        (_layer("__keras_tensor__", "os"), "the module 'os'"),
        (_calls("TFOpLambda", function="io.write_file"), "it calls TensorFlow's 'io.write_file'"),
        (_calls("TFOpLambda", function="load_op_library"), "TensorFlow's 'load_op_library'"),
        (_calls("TFOpLambda", function=["math.add"]), "TensorFlow's ['math.add']"),
        (_calls("TFOpLambda"), "TensorFlow's None"),
        (_layer("SlicingOpLambda", config="math.add"), "TensorFlow's None"),
        (_calls("ClassMethod", cls_ref="io.TFRecordWriter"), "TensorFlow's 'io.TFRecordWriter'"),
        (_model(_layer("Wrapper", config={"layer": [_layer("Lambda")]})), "it has a Lambda"),
    ],
    ids=str,
)
def test_more_than_layers(layer: object, message: str) -> None:
    with pytest.raises(UnsafeError) as raised:
        require_layers_only(_model(layer))
    assert message in str(raised.value)


@pytest.mark.parametrize("config", [[], None, "Lambda", 3])
def test_not_a_configuration(config: object) -> None:
    with pytest.raises(UnsafeError, match="is not that of a model"):
        require_layers_only(config)


@pytest.mark.parametrize(
    ("name", "known"),
    [
        ("cast", True),
        ("compat.v1.cast", True),
        ("math.special.dawsn", True),
        ("mathematics.add", False),
        ("math", False),
        ("castle", False),
        ("compat.v1.compat.v1.cast", False),
        ("raw_ops.WriteFile", False),
        ("", False),
    ],
)
def test_computes(name: str, known: bool) -> None:
    assert computes(name) == known


def test_deeply_nested_configuration() -> None:
    deep: object = _layer("Lambda")
    for _ in range(100_000):
        deep = [deep]
    with pytest.raises(UnsafeError, match="it has a Lambda"):
        require_layers_only(_model(deep))


def _archive(path: Path, **members: str) -> None:
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in members.items():
            archive.writestr(name.replace("_", "."), content)


def test_files(tmp_path: Path) -> None:
    """Files that are not models, or not safe: the message states why."""
    path = tmp_path / "m.keras"

    def message() -> str:
        with pytest.raises(UnsafeError) as raised:
            require_safe(path)
        return str(raised.value)

    path.write_bytes(b"x")
    assert message() == "it is neither a Keras archive nor HDF5"
    _archive(path, metadata_json="{}")
    assert message().startswith("it cannot be read: ")
    _archive(path, config_json="{")
    assert message().startswith("its configuration cannot be read: Expecting property name")
    _archive(path, config_json="[" * 50_000)
    assert message() == "its configuration cannot be read: nested too deeply"
    _archive(path, config_json="[" + "{}," * 1_000_000 + "{}]")
    assert "bytes: too many small values" in message()
    _archive(path, config_json=json.dumps(_model(_layer("Lambda"))))
    assert message() == "it has a Lambda, which runs code from the file"
    _archive(path, config_json=json.dumps(_model(_layer("Dense"))))
    require_safe(path)
    # Keras writes NaN and Infinity, which strict JSON does not have.
    _archive(path, config_json=json.dumps(_model(_layer("ReLU", config={"max_value": math.inf}))))
    require_safe(path)
    _archive(path, config_json=json.dumps(_model(_layer("Dense"))))
    whole = path.read_bytes()
    path.write_bytes(whole.replace(b'"Dense"', b'"Dance"'))
    assert message().startswith("it cannot be read: Bad CRC-32")
    with zipfile.ZipFile(path, "w", zipfile.ZIP_LZMA) as archive:
        archive.writestr("config.json", "{}" * 100)
    damaged = bytearray(path.read_bytes())
    start = damaged.index(b"config.json") + len("config.json") + 9
    damaged[start : start + 4] = b"\xff" * 4
    path.write_bytes(damaged)
    assert message() == "it cannot be read: Corrupt input data"
    _archive(path, config_json="{}")
    damaged = bytearray(path.read_bytes())
    entry = damaged.index(b"PK\1\2")
    damaged[entry + 9] |= 8  # the name is UTF-8
    damaged[entry + 46] = 0xFF
    path.write_bytes(damaged)
    assert message().startswith("it cannot be read: 'utf-8' codec can't decode byte")
    with h5py.File(path, "w") as file:
        file["weights"] = [1.0]
    assert message() == "it contains weights but no model"
    with h5py.File(path, "w") as file:
        file.attrs["model_config"] = json.dumps(_model(_layer("Lambda")))
    assert message() == "it has a Lambda, which runs code from the file"
    # An archive appended to HDF5: Keras reads one or the other, depending on the file's name.
    with h5py.File(path, "w") as file:
        file.attrs["model_config"] = json.dumps(_model(_layer("Dense")))
    require_safe(path)
    with zipfile.ZipFile(path, "a") as archive:
        archive.writestr("config.json", json.dumps(_model(_layer("Lambda"))))
    assert message() == "it has a Lambda, which runs code from the file"


# What happens if the byte at this offset is 255, measured with h5py 3.16: HDF5's library crashes or never ends.
_DAMAGE = {"nothing": None, "a crash": 857, "a TypeError": 858, "a loop": 891}


@pytest.mark.parametrize("damage", _DAMAGE)
def test_damaged_hdf5(damage: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "m.h5"
    with h5py.File(path, "w", libver="earliest") as file:
        file.attrs["model_config"] = json.dumps({"class_name": "Functional", "config": {}})
    monkeypatch.setattr(keras, "_CHECK", Limits(4 << 30, 3))
    keras.require_safe(path)
    data = bytearray(path.read_bytes())
    offset = _DAMAGE[damage]
    if offset is None:
        return
    data[offset] = 255
    path.write_bytes(data)
    with pytest.raises(
        InvalidInput, match=r"m\.h5: Keras cannot load or save it: \w.*: save it as"
    ):
        keras.require_safe(path)
