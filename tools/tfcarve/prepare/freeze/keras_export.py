"""Loads a Keras file and exports it as a SavedModel. Keras 2 and 3 have the same functions in packages with different names."""

import importlib
import importlib.util
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import tensorflow as tf

from tfcarve.errors import InvalidInput
from tfcarve.models import keras_custom
from tfcarve.models.keras import refusal
from tfcarve.prepare.freeze.keras_layout import with_renamed_groups
from tfcarve.prepare.freeze.request import Request

# The endpoint that Keras' own export creates; its signature is also the default one.
_ENDPOINT = "serve"
_INNER = "Exception encountered:"


def _reason(error: Exception) -> str:
    """Returns the reason in one line: Keras puts the error of an object after the errors of the objects around it."""
    text = str(error).rpartition(_INNER)[2]
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    if not lines:
        return type(error).__name__
    # A line that announces the next one.
    return " ".join(lines[:2]) if lines[0].endswith(":") else lines[0]


def _custom_objects(path: str) -> dict[str, Any]:
    """Runs a Python file of the user; returns the classes and functions that it defines, by their names."""
    if not path:
        return {}
    file = Path(path)
    spec = importlib.util.spec_from_file_location(file.stem, file)
    if spec is None or spec.loader is None:
        raise InvalidInput(f"{path}: is not a Python file: its name must end in .py")
    module = importlib.util.module_from_spec(spec)
    # The file may import its neighbours.
    sys.path.append(str(file.parent))
    sys.modules[spec.name] = module
    try:
        spec.loader.exec_module(module)
    except Exception as error:
        raise InvalidInput(
            f"{path}: cannot be run: {type(error).__name__}: {_reason(error)}"
        ) from None
    names = keras_custom.definitions(file)
    return {name: getattr(module, name) for name in names if hasattr(module, name)}


def _unique(names: Sequence[str]) -> Iterator[str]:
    """Yields the names with a number where one repeats: a layer with two outputs gives both its name."""
    seen: set[str] = set()
    for name in names:
        number, found = 0, name
        while found in seen:
            number += 1
            found = f"{name}_{number}"
        seen.add(found)
        yield found


def _inputs_and_output_names(keras: Any, model: Any) -> tuple[Any, list[str]]:
    """Returns the structure of a model's inputs, and the names of the layers of its outputs."""
    if isinstance(model, keras.Sequential):
        return model.inputs[0], [model.layers[-1].name]
    return model.input, model.output_names


def _export(keras: Any, model: Any, folder: Path) -> None:
    """Exports a model of Keras 3: the inputs have its shapes, and the outputs the names of their layers."""
    inputs, names = _inputs_and_output_names(keras, model)

    def spec(tensor: Any) -> Any:
        return keras.InputSpec(shape=tensor.shape, dtype=tensor.dtype, name=tensor.name)

    def call(fed: Any) -> Any:
        outputs = model(fed, training=False)
        if isinstance(outputs, dict):
            return outputs
        return dict(zip(_unique(names), keras.tree.flatten(outputs), strict=True))

    archive = keras.export.ExportArchive()
    archive.track(model)
    archive.add_endpoint(_ENDPOINT, call, input_signature=[keras.tree.map_structure(spec, inputs)])
    archive.write_out(str(folder), verbose=False)


def export(request: Request, folder: Path) -> None:
    """Loads the Keras file of a request, and exports it as a SavedModel to a new folder.

    Raises InvalidInput, with the reason that Keras gives, if Keras cannot load or export the model.
    """
    reader = request.keras
    assert reader is not None
    custom = _custom_objects(request.options.custom_objects)
    keras = importlib.import_module(reader.package)
    path = Path(request.path)
    try:
        if reader.old_names:
            path = with_renamed_groups(path, folder.parent)
        model = keras.models.load_model(
            str(path), custom_objects=custom, compile=False, safe_mode=True
        )
        if keras.__version__.startswith("2."):
            tf.saved_model.save(model, str(folder))
        else:
            _export(keras, model, folder)
    except Exception as error:  # of any kind: Keras does not check the file
        raise refusal(request.name, _reason(error)) from None
