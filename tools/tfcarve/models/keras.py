"""Keras files (.keras, .h5): checks before full TensorFlow loads them."""

from collections.abc import Collection
from pathlib import Path

from tfcarve import full_tensorflow
from tfcarve.errors import InvalidInput
from tfcarve.full_tensorflow import Limits

SUFFIXES = (".keras", ".h5", ".hdf5")
# The only signature of a model that Keras exports.
SIGNATURE = "serving_default"
# Limits of the check, which reads only the configuration.
_CHECK = Limits(4 << 30, 60)


def refusal(name: str | Path, why: str) -> InvalidInput:
    """Returns the error for a Keras file that cannot be loaded or must not be."""
    return InvalidInput(
        f"{name}: Keras cannot load or save it: {why}: save it as a SavedModel (tf.saved_model.save) "
        "where it was built, and pass the SavedModel"
    )


def require_signature(path: Path, wanted: Collection[str]) -> None:
    """Raises InvalidInput if signatures are requested and the Keras model's signature is not one of them."""
    if wanted and SIGNATURE not in wanted:
        raise InvalidInput(
            f"{path}: no signature {', '.join(wanted)}: a Keras file has {SIGNATURE}"
        )


def require_safe(path: Path) -> None:
    """Checks that a Keras file can be loaded, and that loading it runs no code from the file.

    Raises:
      InvalidInput: TensorFlow is not installed, or Keras would do more than build layers.
    """
    if not full_tensorflow.installed():
        raise InvalidInput(
            f"{path}: is a Keras file: {full_tensorflow.not_installed()}, or save the model as a SavedModel "
            "(tf.saved_model.save) and pass the SavedModel"
        )
    whole = path.absolute()
    try:
        full_tensorflow.run("tfcarve.models.keras_check", [whole], whole.parent, _CHECK)
    except full_tensorflow.Failed as error:
        raise refusal(path, str(error)) from None
