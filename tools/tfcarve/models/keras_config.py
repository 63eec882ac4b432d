"""Refuses Keras files that make Keras do more than build layers while it loads them.

Keras looks up the classes and functions that a file names, in any module that can be imported, and calls some of them.
Its `safe_mode` refuses only bytecode, and not in HDF5. A file could therefore run programs and write files.
Source: keras/src/saving/{serialization_lib,saving_lib}.py and
keras/src/layers/{core/lambda_layer,core/tf_op_layer,rnn/cell_wrappers}.py of Keras.
"""

import builtins
import functools
import lzma
import re
import zipfile
import zlib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from tfcarve import json_codec
from tfcarve.errors import InvalidInput

# The configuration of NASNetMobile has 0.6 MB.
_MAX_BYTES = 64 << 20
# A class, or a class that Keras has registered under a package name: `Custom>CustomScaleLayer`.
_CLASS = re.compile(r"(?:\w+>)?([A-Z]\w*)\Z", re.ASCII)
# TensorFlow's modules with initializers.
_INITIALIZERS = ("tensorflow.python.ops.init_ops", "tensorflow.python.ops.init_ops_v2")
_VALUES = frozenset({
    "__tensor__", "__numpy__", "__bytes__", "__typespec__", "__tuple__", "__ellipsis__", "__slice__", "__keras_tensor__",
})  # fmt: skip
# Layers that run what their configuration contains: bytecode or any function, a NodeDef, a SavedModel.
_RUN_CODE = frozenset({
    "Lambda", "DropoutWrapper", "ResidualWrapper", "TensorFlowOpLayer", "TFSMLayer", "ReloadedLayer",
})  # fmt: skip
# Layers that call the TensorFlow API that this field of their configuration names.
_CALLERS = {"TFOpLambda": "function", "SlicingOpLambda": "function", "ClassMethod": "cls_ref"}
# TensorFlow APIs that compute and have no other effect: names, and whole namespaces (`math.`). tests/zoo checks in which
# module each is defined.
_PURE = Path(__file__).parents[1] / "data" / "pure_apis.txt"


# What zipfile and h5py raise for damaged files.
_DAMAGED = (
    OSError, EOFError, KeyError, RuntimeError, TypeError, ValueError, lzma.LZMAError, zlib.error, zipfile.BadZipFile,
)  # fmt: skip


class UnsafeError(ValueError):
    """The configuration is invalid, or makes Keras do more than build layers: the text states what."""


@functools.cache
def _pure_names() -> tuple[str, ...]:
    return tuple(_PURE.read_text(encoding="ascii").split())


def computes(exported: str) -> bool:
    """Returns whether a TensorFlow API, by its exported name, is known to compute and to have no other effect."""
    name = exported.removeprefix("compat.v1.")
    return any(name == one or (one.endswith(".") and name.startswith(one)) for one in _pure_names())


def _dicts(config: Any) -> Iterator[Mapping[str, Any]]:
    todo = [config]
    while todo:
        value = todo.pop()
        if isinstance(value, dict):
            yield value
            todo += value.values()
        elif isinstance(value, list):
            todo += value


def _require_class(name: str) -> None:
    is_class = _CLASS.match(name)
    if name == "__lambda__" or (is_class and is_class[1] in _RUN_CODE):
        raise UnsafeError(f"it has a {name}, which runs code from the file")
    if not is_class and name not in _VALUES:
        raise UnsafeError(f"it has the class {name!r}, which is not part of Keras")


def _require_known(named: Mapping[str, Any]) -> None:
    """Checks the class or function of one object of the configuration, and its module."""
    kind, module = str(named["class_name"]), named.get("module")
    # Keras tries one name after the other.
    aliases = [str(named[key]) for key in ("registered_name", "spec_name") if named.get(key)]
    if kind == "function":
        # Keras stores its functions under the module `builtins`, which has functions of Python too.
        for name in (str(named.get("config")), *aliases):
            if hasattr(builtins, name):
                raise UnsafeError(f"it refers to Python's {name}")
        known = module == "builtins"
    else:
        for name in (kind, *aliases):
            _require_class(name)
        package = str(module).partition(".")[0]
        spec = kind == "__typespec__" and package == "tensorflow"
        known = spec or package in ("keras", "builtins") or module in _INITIALIZERS
    if module is not None and not known:
        raise UnsafeError(f"it refers to the module {module!r}, which is not part of Keras")


def require_layers_only(config: Any) -> None:
    """Raises UnsafeError if the configuration of a model makes Keras do more than build layers.

    Args:
      config: the JSON document in a Keras file.
    """
    if not isinstance(config, dict):
        raise UnsafeError("its configuration is not that of a model")
    # The training configuration is not loaded: its losses and metrics may be any function.
    for found in _dicts({key: config[key] for key in config.keys() - {"compile_config"}}):
        if "class_name" not in found:
            continue
        _require_known(found)
        field, inner = _CALLERS.get(str(found["class_name"])), found.get("config")
        if field:
            exported = inner.get(field) if isinstance(inner, dict) else None
            if not isinstance(exported, str) or not computes(exported):
                raise UnsafeError(
                    f"it calls TensorFlow's {exported!r}, which may do more than compute"
                )


def require_safe_configuration(text: bytes) -> None:
    """Checks the configuration of a model as `require_layers_only` does.

    Args:
      text: JSON, as it is in a Keras file.

    Raises:
      UnsafeError: it is not JSON, or it makes Keras do more than build layers.
    """
    try:
        config = json_codec.decode_plain(text, "its configuration cannot be read")
    except InvalidInput as error:
        raise UnsafeError(str(error)) from None
    require_layers_only(config)


def _in_archive(path: Path) -> bytes:
    """Returns the configuration in a .keras archive, as JSON."""
    with zipfile.ZipFile(path) as archive:
        if any(name.endswith(".npz") for name in archive.namelist()):
            raise UnsafeError("its weights are a NumPy .npz file, which may contain code")
        member = archive.getinfo("config.json")
        if member.file_size > _MAX_BYTES:
            raise UnsafeError(
                f"its configuration has {member.file_size} bytes: at most {_MAX_BYTES} are allowed"
            )
        return archive.read(member)


def _in_hdf5(path: Path) -> bytes:
    """Returns the configuration in an HDF5 file, as JSON."""
    import h5py

    with h5py.File(path, "r") as file:
        config = file.attrs.get("model_config")
    if not isinstance(config, str | bytes):
        raise UnsafeError("it contains weights but no model")
    return config.encode() if isinstance(config, str) else config


def _configurations(path: Path) -> Iterator[bytes]:
    """Yields every configuration that Keras may read: a file can be both an archive and HDF5."""
    import h5py

    if zipfile.is_zipfile(path):
        yield _in_archive(path)
    if h5py.is_hdf5(path):
        yield _in_hdf5(path)


def require_safe(path: Path) -> None:
    """Checks the configuration in a Keras file. It needs h5py, which TensorFlow depends on.

    A damaged HDF5 file may end the process, or take forever: keras_check calls it in a process of its own.

    Raises:
      UnsafeError: there is no configuration, or it makes Keras do more than build layers.
    """
    try:
        texts = list(_configurations(path))
    except UnsafeError:
        raise
    except _DAMAGED as error:
        raise UnsafeError(f"it cannot be read: {error}") from None
    if not texts:
        raise UnsafeError("it is neither a Keras archive nor HDF5")
    for text in texts:
        require_safe_configuration(text)
