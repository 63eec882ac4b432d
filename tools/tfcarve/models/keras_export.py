"""Saves a Keras model as a SavedModel; run as a program by the Python that has TensorFlow.

Code that a file brings along (a Lambda layer's) is refused, never run: Keras does so itself for
.keras, but not for HDF5.
"""

import json
import sys
from typing import Any


def layer_classes(config: Any) -> set[str]:
    """Returns the names of all classes in a Keras model's configuration."""
    found: set[str] = set()
    todo = [config]
    while todo:
        value = todo.pop()
        if isinstance(value, dict):
            if isinstance(value.get("class_name"), str):
                found.add(value["class_name"])
            todo += value.values()
        elif isinstance(value, list):
            todo += value
    return found


def _refuse_code(path: str) -> None:
    import h5py

    if not h5py.is_hdf5(path):
        return
    with h5py.File(path, "r") as file:
        config = file.attrs.get("model_config")
    if config is None:
        sys.exit("no model in it, weights alone")
    if "Lambda" in layer_classes(json.loads(config)):
        sys.exit("it has a Lambda layer, code that is not run here")


def main(path: str, folder: str) -> None:
    """Saves the model at `path` into `folder`; ends the program with a message where that can't be done."""
    import tensorflow as tf

    _refuse_code(path)
    model = tf.keras.models.load_model(path, compile=False, safe_mode=True)
    tf.saved_model.save(model, folder)


if __name__ == "__main__":
    main(*sys.argv[1:])
