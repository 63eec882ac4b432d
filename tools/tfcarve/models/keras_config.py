"""Refuses Keras files that make Keras do more than build layers while it loads them.

Keras 2 looks up the classes and functions that a file names, in any module that can be imported, and calls some of them.
Its `safe_mode` refuses only bytecode, and not in HDF5. A file could therefore run programs and write files. Keras 3 looks only
into its own modules; its releases before 3.11 find all functions there, including functions that download and write files.
Source: keras/src/saving/{serialization_lib,saving_lib}.py, keras/src/utils/{jax_layer,torch_utils}.py and
keras/src/layers/{core/lambda_layer,core/tf_op_layer,rnn/cell_wrappers,preprocessing/index_lookup}.py of Keras.
"""

import builtins
import functools
import re
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path
from typing import Any

from tfcarve import json_codec
from tfcarve.errors import InvalidInput

# A class, or a class that Keras has registered under a package name: `Custom>CustomScaleLayer`.
_CLASS = re.compile(r"(?:\w+>)?([A-Z]\w*)\Z", re.ASCII)
# TensorFlow's modules with initializers.
_INITIALIZERS = ("tensorflow.python.ops.init_ops", "tensorflow.python.ops.init_ops_v2")
_VALUES = frozenset({
    "__tensor__", "__numpy__", "__bytes__", "__typespec__", "__tuple__", "__ellipsis__", "__slice__", "__keras_tensor__",
})  # fmt: skip
# Layers that run a part of their configuration: bytecode or any function, a NodeDef, a SavedModel, a pickle.
_RUN_CODE = frozenset({
    "Lambda", "DropoutWrapper", "ResidualWrapper", "TensorFlowOpLayer", "TFSMLayer", "ReloadedLayer", "JaxLayer",
    "FlaxLayer", "TorchModuleWrapper",
})  # fmt: skip
# Fields of lookup layers: if their value is a text, it is the path of a file to read.
_FILES = ("vocabulary", "idf_weights")
# Layers that call the TensorFlow API that this field of their configuration names.
_CALLERS = {"TFOpLambda": "function", "SlicingOpLambda": "function", "ClassMethod": "cls_ref"}
# TensorFlow APIs that compute and have no other effect: names, and whole namespaces (`math.`). tests/zoo checks in which
# module each is defined.
_PURE = Path(__file__).parents[1] / "data" / "pure_apis.txt"


# The fix if a class or function of the user is the reason.
_CUSTOM = " (if it is yours, pass the Python file that defines it with --custom-objects)"


class UnsafeError(ValueError):
    """The configuration is invalid, or makes Keras do more than build layers. The text states the reason."""


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


def _require_class(name: str, custom: Collection[str]) -> None:
    is_class = _CLASS.match(name)
    if name == "__lambda__" or (is_class and is_class[1] in _RUN_CODE):
        raise UnsafeError(f"it has a {name}, which runs code from the file")
    if not is_class and name not in _VALUES and not _is_custom(name, custom):
        raise UnsafeError(f"it has the class {name!r}, which is not part of Keras{_CUSTOM}")


def _is_custom(name: str, custom: Collection[str]) -> bool:
    return name.rpartition(">")[2] in custom


def _require_known(named: Mapping[str, Any], custom: Collection[str]) -> None:
    """Checks the class or function of one object of the configuration, and its module."""
    kind, module = str(named["class_name"]), named.get("module")
    # Keras tries one name after the other.
    aliases = [str(named[key]) for key in ("registered_name", "spec_name") if named.get(key)]
    if kind == "function":
        names = [str(named.get("config")), *(alias for alias in aliases if alias != "function")]
        # Keras stores its functions under the module `builtins`, which has functions of Python too.
        for name in names:
            if hasattr(builtins, name):
                raise UnsafeError(f"it refers to Python's {name}")
        known = module == "builtins"
    else:
        names = aliases
        for name in (kind, *aliases):
            _require_class(name, custom)
        package = str(module).partition(".")[0]
        spec = kind == "__typespec__" and package == "tensorflow"
        known = spec or package in ("keras", "builtins") or module in _INITIALIZERS
    # Keras looks for a custom object by its registered name. Without one, it would import the module.
    if names and all(_is_custom(name, custom) for name in names):
        return
    registered = next((name for name in names if ">" in name), "")
    if registered and module in (None, "builtins"):
        raise UnsafeError(f"it has {registered!r}, which is not part of Keras{_CUSTOM}")
    if module is not None and not known:
        raise UnsafeError(
            f"it refers to the module {module!r}, which is not part of Keras{_CUSTOM}"
        )


def _require_no_file(named: Mapping[str, Any]) -> None:
    inner = named.get("config")
    for field in _FILES:
        if isinstance(inner, dict) and isinstance(inner.get(field), str):
            raise UnsafeError(
                f"its {named['class_name']} reads the file {inner[field]!r}, which is not part of it"
            )


def require_layers_only(config: Any, custom: Collection[str] = ()) -> None:
    """Raises UnsafeError if the configuration of a model makes Keras do more than build layers.

    Args:
      config: the JSON document in a Keras file.
      custom: the names of classes and functions that the user supplies.
    """
    if not isinstance(config, dict):
        raise UnsafeError("its configuration is not the configuration of a model")
    # The training configuration is not loaded: its losses and metrics may be any function.
    for found in _dicts({key: config[key] for key in config.keys() - {"compile_config"}}):
        if "class_name" not in found:
            continue
        _require_known(found, custom)
        _require_no_file(found)
        field, inner = _CALLERS.get(str(found["class_name"])), found.get("config")
        if field:
            exported = inner.get(field) if isinstance(inner, dict) else None
            if not isinstance(exported, str) or not computes(exported):
                raise UnsafeError(
                    f"it calls TensorFlow's {exported!r}, which may do more than compute"
                )


def require_safe_configuration(text: bytes, custom: Collection[str] = ()) -> None:
    """Checks the configuration of a model as `require_layers_only` does.

    Args:
      text: the JSON document in a Keras file.
      custom: the names of classes and functions that the user supplies.

    Raises:
      UnsafeError: it is not JSON, or it makes Keras do more than build layers.
    """
    try:
        config = json_codec.decode_plain(text, "its configuration cannot be read")
    except InvalidInput as error:
        raise UnsafeError(str(error)) from None
    require_layers_only(config, custom)
