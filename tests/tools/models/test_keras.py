"""Tests of Keras files without TensorFlow; tests with TensorFlow are in tests/zoo."""

import importlib.metadata
import importlib.util
import io
import json
import math
import sys
import zipfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import h5py
import pytest

from tfcarve import full_tensorflow
from tfcarve.commands.read_model import read_model
from tfcarve.errors import InvalidInput
from tfcarve.full_tensorflow import Limits
from tfcarve.models import keras
from tfcarve.models.keras_config import (
    UnsafeError,
    computes,
    require_layers_only,
    require_safe_configuration,
)
from tfcarve.models.keras_custom import definitions
from tfcarve.models.keras_file import Configuration, configuration
from tfcarve.releases import known


@pytest.mark.parametrize("name", ["m.keras", "m.h5", "M.HDF5"])
def test_without_tensorflow(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    (tmp_path / name).write_bytes(b"x")
    with pytest.raises(InvalidInput) as raised:
        read_model(tmp_path / name, known.release())
    assert f"{name}: is a Keras file: tensorflow is not installed in {sys.executable}" in str(
        raised.value
    )
    assert "model.export(FOLDER)" in str(raised.value)


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
        _layer("Custom>CustomScaleLayer", None),
        _layer("Add", "keras.src.ops.numpy", registered_name="Add"),
        _layer("StringLookup", config={"vocabulary": ["a", "b"]}),
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
        (_layer("TorchModuleWrapper"), "it has a TorchModuleWrapper, which"),
        (_layer("JaxLayer"), "it has a JaxLayer, which"),
        (_layer("FlaxLayer"), "it has a FlaxLayer, which"),
        (_layer("TFSMLayer"), "it has a TFSMLayer, which"),
        (_layer("Scaled", None, registered_name="mine>Scaled"), "it has 'mine>Scaled', which"),
        (_layer("Scaled", "__main__", registered_name="mine>Scaled"), "the module '__main__'"),
        (_layer("Scaled", "keras_hub.layers"), "the module 'keras_hub.layers'"),
        (
            _layer("StringLookup", config={"vocabulary": "/etc/passwd"}),
            "its StringLookup reads the file '/etc/passwd', which is not part of it",
        ),
        (
            _layer("Dense", config={"activation": _function("mine>doubled", "builtins")}),
            "it has 'mine>doubled', which is not part of Keras (if it is yours, pass the Python",
        ),
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


_CUSTOM = {"Scaled", "doubled"}


@pytest.mark.parametrize(
    "layer",
    [
        _layer("Scaled", None, registered_name="mine>Scaled"),
        _layer("Scaled", "__main__", registered_name="Scaled"),
        _layer("Dense", config={"activation": _function("mine>doubled", "builtins")}),
        _layer("Dense", config={"activation": _function("doubled", "__main__")}),
    ],
    ids=str,
)
def test_custom_objects(layer: object) -> None:
    with pytest.raises(UnsafeError, match="pass the Python file that defines it with --custom"):
        require_layers_only(_model(layer))
    require_layers_only(_model(layer), _CUSTOM)


@pytest.mark.parametrize(
    "layer",
    [
        _layer("Scaled", "os", registered_name=None),
        _layer("Scaled", "os", registered_name="mine>Other"),
        _layer("Dense", config={"activation": _function("other", "__main__")}),
        _layer("Lambda", "os", registered_name="Scaled"),
    ],
    ids=str,
)
def test_more_than_custom_objects(layer: object) -> None:
    """With custom objects too, nothing else is imported or run."""
    with pytest.raises(UnsafeError):
        require_layers_only(_model(layer), _CUSTOM)


_READERS = [
    # The version in the file, its suffix, the installed keras and tf_keras, and the reader or the message.
    ("3.15.1", ".keras", "3.10.0", "", ("keras", False)),
    ("3.15.1", ".h5", "3.8.0", "", ("keras", False)),
    ("3.0.5", ".keras", "3.15.1", "", ("keras", False)),
    ("2.14.0", ".keras", "2.14.0", "", ("keras", False)),
    ("", ".h5", "2.14.0", "", ("keras", False)),
    ("2.21.0", ".h5", "2.14.0", "", ("keras", False)),
    ("2.14.0", ".keras", "2.15.0", "", ("keras", True)),
    ("2.14.0", ".keras", "3.15.1", "2.21.0", ("tf_keras", True)),
    ("2.15.0", ".keras", "3.15.1", "2.21.0", ("tf_keras", False)),
    ("2.14.0", ".h5", "3.15.1", "2.21.0", ("tf_keras", False)),
    (
        "3.15.1",
        ".keras",
        "2.14.0",
        "",
        "Keras 3.15.1; Keras 2.14.0 is installed, .*'tfcarve.keras3.'",
    ),
    (
        "3.15.1",
        ".keras",
        "3.5.0",
        "",
        "Keras 3.15.1; Keras 3.5.0 is installed, .*'tfcarve.keras3.'",
    ),
    (
        "2.16.0",
        ".keras",
        "2.14.0",
        "",
        "Keras 2.16.0; Keras 2.14.0 is installed, .*'tfcarve.keras2.'",
    ),
    ("2.14.0", ".h5", "3.15.1", "", "Keras 2.14.0; Keras 3.15.1 is installed, .*'tfcarve.keras2.'"),
    ("", ".h5", "", "", "a release of Keras 2; no Keras is installed, .*'tfcarve.keras2.'"),
    ("4.0.0", ".keras", "3.15.1", "2.21.0", "Keras 4.0.0; .*: save it as a SavedModel"),
]


@pytest.mark.parametrize(
    ("written", "suffix", "keras_there", "tf_keras_there", "expected"), _READERS
)
def test_reader(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    written: str,
    suffix: str,
    keras_there: str,
    tf_keras_there: str,
    expected: tuple[str, bool] | str,
) -> None:
    path = tmp_path / f"m{suffix}"
    there = {"keras": keras_there, "tf_keras": tf_keras_there}

    def version(package: str) -> str:
        if not there[package]:
            raise importlib.metadata.PackageNotFoundError
        return there[package]

    monkeypatch.setattr(importlib.metadata, "version", version)
    monkeypatch.setattr(full_tensorflow, "run", lambda *_: f"{written}\n")
    if isinstance(expected, str):
        with pytest.raises(InvalidInput, match=rf"m\{suffix}: was written by {expected}"):
            keras.reader(path)
    else:
        assert keras.reader(path) == keras.Reader(*expected)


def test_definitions_of_a_python_file(tmp_path: Path) -> None:
    """It is not run."""
    path = tmp_path / "layers.py"
    path.write_text(
        "@register(package='mine', name='Named')\nclass Scaled: pass\ndef doubled(x): pass\nexit(1)\nx = 3\n"
    )
    assert definitions(path) == {"Scaled", "mine", "Named", "doubled"}
    path.write_text("class")
    with pytest.raises(InvalidInput, match=r"layers\.py: is not a Python file: "):
        definitions(path)
    with pytest.raises(InvalidInput, match=r"none\.py: cannot be read: No such file"):
        definitions(tmp_path / "none.py")


@pytest.mark.parametrize("config", [[], None, "Lambda", 3])
def test_not_a_configuration(config: object) -> None:
    with pytest.raises(UnsafeError, match="is not the configuration of a model"):
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


def _weights(change: Callable[[h5py.File], object] | None = None) -> bytes:
    """Returns an HDF5 file with an array."""
    written = io.BytesIO()
    with h5py.File(written, "w") as file:
        file["layers/dense/vars/0"] = [1.0, 2.0]
        if change:
            change(file)
    return written.getvalue()


def _write(path: Path, members: Sequence[tuple[str, str | bytes]]) -> None:
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in members:
            archive.writestr(name, content)


def _archive(
    path: Path,
    config: str,
    weights: bytes | None = None,
    metadata: str = '{"keras_version": "3.15.1"}',
) -> None:
    """Writes a .keras archive as Keras 3 does."""
    weights = _weights() if weights is None else weights
    members = {"metadata.json": metadata, "config.json": config, "model.weights.h5": weights}
    _write(path, list(members.items()))


def _safe(path: Path) -> Configuration:
    """Reads and checks a file as `keras_check` does."""
    found = configuration(path)
    require_safe_configuration(found.text)
    return found


def _message(path: Path) -> str:
    with pytest.raises(UnsafeError) as raised:
        _safe(path)
    return str(raised.value)


_DENSE, _LAMBDA = (json.dumps(_model(_layer(kind))) for kind in ("Dense", "Lambda"))


def test_archive(tmp_path: Path) -> None:
    path = tmp_path / "m.keras"
    _archive(path, _DENSE)
    assert _safe(path).version == "3.15.1"
    # Keras writes NaN and Infinity, which strict JSON does not have.
    _archive(
        path, json.dumps(_model(_layer("ReLU", config={"max_value": math.inf}))), metadata="{}"
    )
    assert _safe(path).version == ""


@pytest.mark.parametrize(
    ("config", "message"),
    [
        ("{", "its configuration cannot be read: Expecting property name"),
        ("[" * 50_000, "its configuration cannot be read: nested too deeply"),
        ("[" + "{}," * 1_000_000 + "{}]", "bytes: too many small values"),
        (_LAMBDA, "it has a Lambda, which runs code from the file"),
    ],
    ids=range(4),
)
def test_configuration_in_an_archive(tmp_path: Path, config: str, message: str) -> None:
    _archive(tmp_path / "m.keras", config)
    assert message in _message(tmp_path / "m.keras")


_MEMBERS = [("metadata.json", "{}"), ("config.json", _DENSE), ("model.weights.h5", _weights())]


@pytest.mark.parametrize(
    ("members", "message"),
    [
        (_MEMBERS[:2], "it has no model.weights.h5"),
        (_MEMBERS[::2], "it has no config.json"),
        ([*_MEMBERS, ("../x", "")], "it has a member outside of the archive: '../x'"),
        ([*_MEMBERS, ("/etc/x", "")], "outside of the archive: '/etc/x'"),
        ([*_MEMBERS, ("assets\\..\\..\\x", "")], "outside of the archive: "),
        ([*_MEMBERS, ("C:x", "")], "outside of the archive: 'C:x'"),
        ([*_MEMBERS, _MEMBERS[0]], "it has the member 'metadata.json' more than once"),
        ([*_MEMBERS, ("model.weights.npz", "")], "its weights are a NumPy .npz file"),
        ([("metadata.json", "[]"), *_MEMBERS[1:]], "its metadata.json: "),
        ([("metadata.json", '{"keras_version": "3\\n"}'), *_MEMBERS[1:]], "is not a version"),
        ([*_MEMBERS[:2], ("model.weights.h5", "x")], "it cannot be read: "),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_members_of_an_archive(
    tmp_path: Path, members: Sequence[tuple[str, str | bytes]], message: str
) -> None:
    _write(tmp_path / "m.keras", members)
    assert message in _message(tmp_path / "m.keras")


def test_archive_that_claims_another_size(tmp_path: Path) -> None:
    """A member of 2^40 bytes that the archive does not store."""
    path = tmp_path / "m.keras"
    _write(path, _MEMBERS)
    data = bytearray(path.read_bytes())
    with zipfile.ZipFile(path) as archive:
        entry = data.index(b"PK\1\2", archive.start_dir) + 24
    data[entry : entry + 4] = (0xFFFFFFFE).to_bytes(4, "little")
    path.write_bytes(data)
    assert "its member 'metadata.json' claims 4,294,967,294 bytes, but only 2" in _message(path)


def _external(file: h5py.File) -> None:
    file.create_dataset("y", (4,), "u1", external=[("/etc/passwd", 0, 4)])


def _virtual(file: h5py.File) -> None:
    layout = h5py.VirtualLayout((2,), "f4")
    layout[:] = h5py.VirtualSource("other.h5", "x", (2,))
    file.create_virtual_dataset("y", layout)


def _link(file: h5py.File) -> None:
    file["y"] = h5py.ExternalLink("other.h5", "/x")


def _soft_link(file: h5py.File) -> None:
    file["y"] = h5py.SoftLink("/layers")


def _huge(file: h5py.File) -> None:
    file.create_dataset("y", (1 << 40,), "u1", chunks=(1 << 20,))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (_external, "its array /y is in another file"),
        (_virtual, "its array /y is in another file"),
        (_link, "is a link to another place or file"),
        (_soft_link, "is a link to another place or file"),
        (_huge, "it claims 1,099,511,627,792 bytes, but only "),
    ],
)
def test_weights_that_are_not_in_the_file(
    tmp_path: Path, change: Callable[[h5py.File], object], message: str
) -> None:
    _archive(tmp_path / "m.keras", _DENSE, _weights(change))
    assert message in _message(tmp_path / "m.keras")
    with h5py.File(tmp_path / "m.h5", "w") as file:
        file.attrs["model_config"] = _DENSE
        change(file)
    assert message.replace("792", "776") in _message(tmp_path / "m.h5")


def test_damaged_archives(tmp_path: Path) -> None:
    path = tmp_path / "m.keras"
    path.write_bytes(b"x")
    assert _message(path) == "it is neither a Keras archive nor HDF5"
    _archive(path, _DENSE)
    path.write_bytes(path.read_bytes().replace(b'"Dense"', b'"Dance"'))
    assert _message(path).startswith("it cannot be read: Bad CRC-32")
    with zipfile.ZipFile(path, "w", zipfile.ZIP_LZMA) as archive:
        archive.writestr("config.json", "{}" * 100)
        archive.writestr("model.weights.h5", _weights())
    damaged = bytearray(path.read_bytes())
    start = damaged.index(b"config.json") + len("config.json") + 9
    damaged[start : start + 4] = b"\xff" * 4
    path.write_bytes(damaged)
    assert _message(path) == "it cannot be read: Corrupt input data"
    _archive(path, "{}")
    damaged = bytearray(path.read_bytes())
    entry = damaged.index(b"PK\1\2")
    damaged[entry + 9] |= 8  # the name is UTF-8
    damaged[entry + 46] = 0xFF
    path.write_bytes(damaged)
    assert _message(path).startswith("it cannot be read: 'utf-8' codec can't decode byte")


def test_hdf5(tmp_path: Path) -> None:
    path = tmp_path / "m.h5"
    with h5py.File(path, "w") as file:
        file["weights"] = [1.0]
    assert _message(path) == "it contains weights but no model"
    with h5py.File(path, "w") as file:
        file.attrs["model_config"] = _LAMBDA
    assert _message(path) == "it has a Lambda, which runs code from the file"
    with h5py.File(path, "w") as file:
        file.attrs["model_config"] = _DENSE
        file.attrs["keras_version"] = "2.14.0"
    assert _safe(path).version == "2.14.0"
    # An archive appended to HDF5: Keras reads one or the other, depending on the file's name.
    with zipfile.ZipFile(path, "a") as archive:
        archive.writestr("config.json", _DENSE)
    assert _message(path) == "it is a Keras archive and HDF5 at once"


# What happens if the byte at this offset is 255, measured with h5py 3.16: HDF5's library crashes or never ends.
_DAMAGE = {"nothing": None, "a crash": 857, "a TypeError": 858, "a loop": 891}


@pytest.mark.parametrize("damage", _DAMAGE)
def test_damaged_hdf5(damage: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "m.h5"
    with h5py.File(path, "w", libver="earliest") as file:
        file.attrs["model_config"] = json.dumps({"class_name": "Functional", "config": {}})
    monkeypatch.setattr(keras, "_CHECK", Limits(4 << 30, 3))
    keras.reader(path)
    data = bytearray(path.read_bytes())
    offset = _DAMAGE[damage]
    if offset is None:
        return
    data[offset] = 255
    path.write_bytes(data)
    with pytest.raises(InvalidInput, match=r"m\.h5: is not loaded: \w.*: save it as a SavedModel"):
        keras.reader(path)
