"""Keras files (.keras, .h5), which only full TensorFlow can load, in a process of its own."""

from collections.abc import Collection
from pathlib import Path

from tfcarve import full_tensorflow
from tfcarve.errors import InvalidInput
from tfcarve.models import keras_config

SUFFIXES = (".keras", ".h5", ".hdf5")
# The one signature that Keras gives a model.
SIGNATURE = "serving_default"


def refusal(name: str | Path, why: str) -> InvalidInput:
    """Returns the error for a Keras file that cannot be loaded."""
    return InvalidInput(
        f"{name}: Keras cannot load or save it: {why}: save it as a SavedModel (tf.saved_model.save) "
        "where it was made, and give that"
    )


def require_signature(path: Path, wanted: Collection[str]) -> None:
    """Raises InvalidInput where signatures of the Keras model at `path` are wanted and its own is none of them."""
    if wanted and SIGNATURE not in wanted:
        raise InvalidInput(
            f"{path}: no signature {', '.join(wanted)}: a Keras file has {SIGNATURE}"
        )


def require_safe(path: Path) -> None:
    """Makes sure that the Keras model at `path` can be loaded and that this runs no code of the file's.

    Raises InvalidInput where TensorFlow can't be had, or Keras would do more than build layers.
    """
    if not full_tensorflow.installed():
        raise InvalidInput(
            f"{path}: is a Keras file: {full_tensorflow.not_installed()}, or save the model as a SavedModel "
            "(tf.saved_model.save) and give that"
        )
    try:
        keras_config.require_safe(path)
    except keras_config.UnsafeError as error:
        raise refusal(path, str(error)) from None
