"""Keras files (.keras, .h5): full TensorFlow saves them as a SavedModel, in a process of its own.

Only this needs TensorFlow, and only in the Python that runs tfcarve.
"""

import importlib.util
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tfcarve.errors import BadInput

SUFFIXES = (".keras", ".h5", ".hdf5")

_LONGEST_MESSAGE = 400
_EXPORT = Path(__file__).with_name("keras_export.py")


def _last_line(text: str) -> str:
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return lines[-1][:_LONGEST_MESSAGE] if lines else "it says nothing"


@contextmanager
def exported(path: Path) -> Iterator[Path]:
    """Gives the folder of a SavedModel of the Keras model at `path`; it is there for as long as the block runs.

    Raises BadInput where TensorFlow can't be had or can't load the model.
    """
    if importlib.util.find_spec("tensorflow") is None:
        raise BadInput(
            f"{path}: a Keras file: to read it {sys.executable} needs tensorflow, which it has not: "
            "install it there, or save the model as a SavedModel (tf.saved_model.save) and give that"
        )
    with tempfile.TemporaryDirectory(prefix="tfcarve-") as folder:
        saved_model = Path(folder, "saved_model")
        # -P: beside the program stands a module of the name keras, which is not the library.
        done = subprocess.run(
            [sys.executable, "-P", str(_EXPORT), str(path.absolute()), str(saved_model)],
            env={**os.environ, "TF_CPP_MIN_LOG_LEVEL": "3", "CUDA_VISIBLE_DEVICES": "-1"},
            capture_output=True,
            text=True,
            check=False,
            cwd=folder,
        )
        if done.returncode:
            raise BadInput(
                f"{path}: Keras cannot load or save it: {_last_line(done.stderr)}: save it as a "
                "SavedModel (tf.saved_model.save) where it was made, and give that"
            )
        yield saved_model
