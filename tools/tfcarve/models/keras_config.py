"""What a Keras file has Keras do while it is loaded: nothing but build layers, or it is refused here.

Keras looks up whatever classes and functions a file names, in any module that can be imported, and calls
some of them: its `safe_mode` refuses no more than bytecode, and that not in HDF5. So a file could run
programs and write files. Source: keras/src/saving/{serialization_lib,saving_lib}.py and
keras/src/layers/{core/lambda_layer,core/tf_op_layer,rnn/cell_wrappers}.py of Keras 2.14.
"""

import builtins
import functools
import re
import zipfile
import zlib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from tfcarve import json_form

# NASNetMobile's configuration has 0.6 MB.
_LONGEST = 64 << 20
# A class, or one that Keras itself has registered under the name of a package: `Custom>CustomScaleLayer`.
_CLASS = re.compile(r"(?:\w+>)?([A-Z]\w*)\Z", re.ASCII)
# Of TensorFlow's own modules, those with initializers.
_INITIALIZERS = ("tensorflow.python.ops.init_ops", "tensorflow.python.ops.init_ops_v2")
_VALUES = frozenset({
    "__tensor__", "__numpy__", "__bytes__", "__typespec__", "__tuple__", "__ellipsis__", "__slice__", "__keras_tensor__",
})  # fmt: skip
# Layers that run what their configuration holds: bytecode or any function, a NodeDef, a SavedModel.
_RUN_CODE = frozenset({
    "Lambda", "DropoutWrapper", "ResidualWrapper", "TensorFlowOpLayer", "TFSMLayer", "ReloadedLayer",
})  # fmt: skip
# Layers that call what TensorFlow exports under the name in this field of their configuration.
_CALLING = {"TFOpLambda": "function", "SlicingOpLambda": "function", "ClassMethod": "cls_ref"}
# Names under which TensorFlow exports what computes and does nothing else, namespaces (`math.`) with all that is in
# them; tests/zoo looks where each is defined.
_COMPUTES = Path(__file__).parents[1] / "data" / "computes.txt"


class UnsafeError(ValueError):
    """The configuration is none, or has Keras do more than build layers: says what."""


@functools.cache
def _computing() -> tuple[str, ...]:
    return tuple(_COMPUTES.read_text(encoding="ascii").split())


def computes(exported: str) -> bool:
    """Says whether what TensorFlow exports under a name is known to compute, and to do nothing else."""
    name = exported.removeprefix("compat.v1.")
    return any(name == one or (one.endswith(".") and name.startswith(one)) for one in _computing())


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
        raise UnsafeError(f"it has a {name}, code that is not run here")
    if not is_class and name not in _VALUES:
        raise UnsafeError(f"it has the class {name!r}, which is not one of Keras' own")


def _require_known(named: Mapping[str, Any]) -> None:
    """Looks at one object of the configuration: what class or function it is, and where that is from."""
    kind, module = str(named["class_name"]), named.get("module")
    # Keras tries one name after the other.
    others = [str(named[key]) for key in ("registered_name", "spec_name") if named.get(key)]
    if kind == "function":
        # Those of Keras are told as in Python's own module, which has others.
        for name in (str(named.get("config")), *others):
            if hasattr(builtins, name):
                raise UnsafeError(f"it names Python's {name}")
        own = module == "builtins"
    else:
        for name in (kind, *others):
            _require_class(name)
        package = str(module).partition(".")[0]
        spec = kind == "__typespec__" and package == "tensorflow"
        own = spec or package in ("keras", "builtins") or module in _INITIALIZERS
    if module is not None and not own:
        raise UnsafeError(f"it names something in the module {module!r}, which is not Keras' own")


def require_layers_alone(config: Any) -> None:
    """Raises UnsafeError where the configuration of a model has Keras do more than build layers.

    Args:
      config: the JSON value that is in a Keras file.
    """
    if not isinstance(config, dict):
        raise UnsafeError("its configuration is none of a model")
    # How it was trained is not loaded: losses and metrics may be anyone's.
    for found in _dicts({key: config[key] for key in config.keys() - {"compile_config"}}):
        if "class_name" not in found:
            continue
        _require_known(found)
        field, inner = _CALLING.get(str(found["class_name"])), found.get("config")
        if field:
            exported = inner.get(field) if isinstance(inner, dict) else None
            if not isinstance(exported, str) or not computes(exported):
                raise UnsafeError(
                    f"it calls TensorFlow's {exported!r}, which may do more than compute"
                )


def _in_archive(path: Path) -> str | bytes:
    """Returns the configuration in a .keras archive."""
    with zipfile.ZipFile(path) as archive:
        if any(name.endswith(".npz") for name in archive.namelist()):
            raise UnsafeError("its weights are NumPy's .npz, which may hold code")
        member = archive.getinfo("config.json")
        if member.file_size > _LONGEST:
            raise UnsafeError(f"its configuration has {member.file_size} bytes")
        return archive.read(member)


def _in_hdf5(path: Path) -> str | bytes:
    """Returns the configuration in an HDF5 file."""
    import h5py

    with h5py.File(path, "r") as file:
        config = file.attrs.get("model_config")
    if not isinstance(config, str | bytes):
        raise UnsafeError("no model in it, weights alone")
    return config


def _configurations(path: Path) -> Iterator[str | bytes]:
    """Yields what Keras may read: a file can be an archive and HDF5 at once."""
    import h5py

    if zipfile.is_zipfile(path):
        yield _in_archive(path)
    if h5py.is_hdf5(path):
        yield _in_hdf5(path)


def require_safe(path: Path) -> None:
    """Looks at the configuration in a Keras file; needs h5py, which TensorFlow brings along.

    Raises UnsafeError where there is none, or it has Keras do more than build layers.
    """
    try:
        texts = list(_configurations(path))
    except (OSError, EOFError, KeyError, RuntimeError, zlib.error, zipfile.BadZipFile) as error:
        raise UnsafeError(f"it cannot be read: {error}") from None
    if not texts:
        raise UnsafeError("neither an archive of Keras nor HDF5")
    for text in texts:
        try:
            config = json_form.loads(text)
        except ValueError as error:
            raise UnsafeError(f"its configuration cannot be read: {error}") from None
        require_layers_alone(config)
