"""Keras files (.keras, .h5): full TensorFlow saves them as a SavedModel, in a process of its own.

Only this needs TensorFlow, and only in the Python that runs tfcarve.
"""

import importlib.util
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tfcarve import full_tensorflow
from tfcarve.errors import BadInput
from tfcarve.models import keras_config

SUFFIXES = (".keras", ".h5", ".hdf5")

_EXPORT = Path(__file__).with_name("keras_export.py")


def _cannot(path: Path, why: str) -> BadInput:
    return BadInput(
        f"{path}: Keras cannot load or save it: {why}: save it as a SavedModel (tf.saved_model.save) "
        "where it was made, and give that"
    )


@contextmanager
def exported(path: Path) -> Iterator[Path]:
    """Gives the folder of a SavedModel of the Keras model at `path`; it is there for as long as the block runs.

    Raises BadInput where TensorFlow can't be had or can't load the model, or would do more than that.
    """
    if importlib.util.find_spec("tensorflow") is None:
        raise BadInput(
            f"{path}: a Keras file: to read it {sys.executable} needs tensorflow, which it has not: "
            "install it there, or save the model as a SavedModel (tf.saved_model.save) and give that"
        )
    try:
        keras_config.require_safe(path)
    except keras_config.UnsafeError as error:
        raise _cannot(path, str(error)) from None
    with tempfile.TemporaryDirectory(prefix="tfcarve-") as folder:
        saved_model = Path(folder, "saved_model")
        try:
            full_tensorflow.run(_EXPORT, [path.absolute(), saved_model], folder)
        except full_tensorflow.Failed as failed:
            raise _cannot(path, str(failed) or "Keras says nothing") from None
        yield saved_model
