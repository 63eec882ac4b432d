"""Keras files (.keras, .h5): checks before full TensorFlow loads them, and the package that can load them."""

import importlib.metadata
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path

from tfcarve import full_tensorflow
from tfcarve.errors import InvalidInput
from tfcarve.full_tensorflow import Limits

SUFFIXES = (".keras", ".h5", ".hdf5")
# The only signature of a model that Keras exports.
SIGNATURE = "serving_default"
# Limits of the check, which reads only the configuration.
_CHECK = Limits(4 << 30, 60)
# The first release with other names for the weights in an archive.
_NEW_NAMES = (2, 15)
# The oldest release of Keras 3 that exports models with the arguments that tfcarve passes.
_OLDEST_KERAS_3 = (3, 8)
_WAY_OUT = (
    "save it as a SavedModel (model.export(FOLDER)) where it was built, and pass the SavedModel"
)


@dataclass(frozen=True, slots=True)
class Reader:
    """The package that loads a Keras file.

    Attributes:
      package: "keras" or "tf_keras".
      old_names: whether the file is an archive with the weight names of Keras 2.14 and earlier, which this package does not
        look for.
    """

    package: str
    old_names: bool


def refusal(name: str | Path, why: str) -> InvalidInput:
    """Returns the error for a Keras file that Keras cannot load or export."""
    return InvalidInput(f"{name}: Keras cannot load or export it: {why}: {_WAY_OUT}")


def require_signature(path: Path, wanted: Collection[str]) -> None:
    """Raises InvalidInput if signatures are requested and the Keras model's signature is not one of them."""
    if wanted and SIGNATURE not in wanted:
        raise InvalidInput(
            f"{path}: no signature {', '.join(wanted)}: a Keras file has {SIGNATURE}"
        )


def _numbers(version: str) -> tuple[int, ...]:
    """Returns the leading numbers of a version: `3.15.1` is (3, 15, 1), and `` is ()."""
    found = []
    for part in version.split("."):
        if not part.isdecimal():
            break
        found.append(int(part))
    return tuple(found)


def _installed(package: str) -> tuple[int, ...]:
    """Returns the version of a package of Keras; (): it is not installed."""
    try:
        return _numbers(importlib.metadata.version(package))
    except importlib.metadata.PackageNotFoundError:
        return ()


def _reader(path: Path, written_by: str) -> Reader:
    """Returns the installed package that loads the files of a version of Keras."""
    written = _numbers(written_by) or (2,)
    archive = path.suffix.lower() == ".keras"
    keras = _installed("keras")
    fix = _WAY_OUT
    if written[0] == 2:
        old = archive and written < _NEW_NAMES
        if keras[:1] == (2,) and (old or not archive or keras >= _NEW_NAMES):
            return Reader("keras", old and keras >= _NEW_NAMES)
        if _installed("tf_keras"):
            return Reader("tf_keras", old)
        fix = "pip install --upgrade 'tfcarve[keras2]'"
    if written[0] == 3:
        if keras >= _OLDEST_KERAS_3:
            return Reader("keras", old_names=False)
        fix = "pip install --upgrade 'tfcarve[keras3]'"
    there = f"Keras {'.'.join(map(str, keras))}" if keras else "no Keras"
    writer = f"Keras {written_by}" if written_by else "a release of Keras 2"
    raise InvalidInput(
        f"{path}: was written by {writer}; {there} is installed, which cannot read it: {fix}"
    )


def reader(path: Path, custom_objects: str = "") -> Reader:
    """Checks a Keras file, and finds the package that loads it.

    Loading it then runs no code from the file.

    Args:
      path: a file with one of SUFFIXES.
      custom_objects: path of the Python file with the user's classes and functions; "" for none.

    Raises:
      InvalidInput: no package that can load it is installed, or Keras would do more than build layers.
    """
    if not full_tensorflow.installed():
        raise InvalidInput(
            f"{path}: is a Keras file: {full_tensorflow.not_installed()}, or {_WAY_OUT}"
        )
    whole = path.absolute()
    arguments: list[str | Path] = [whole, *([custom_objects] if custom_objects else [])]
    try:
        done = full_tensorflow.run("tfcarve.models.keras_check", arguments, whole.parent, _CHECK)
    except full_tensorflow.Failed as error:
        why = str(error) or "no message"
        raise InvalidInput(f"{path}: is not loaded: {why}: {_WAY_OUT}") from None
    return _reader(path, done.strip())
