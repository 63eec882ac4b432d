"""Whether a model's outputs differ between two runs of full TensorFlow by more than tf_model_test tolerates.

With oneDNN TensorFlow adds numbers in another order than without, so outputs differ by rounding errors.
"""

import contextlib
import math
from collections.abc import Iterator, Sequence
from pathlib import Path

from tfcarve import full_tensorflow

_FOLDER = "without_onednn"
_SETTINGS = {"TF_ENABLE_ONEDNN_OPTS": "0"}
# The proposed tolerance, in units of the difference.
_FACTOR = 3


def run_again(program: str, model: Path, folder: Path, words: Sequence[str]) -> None:
    """Runs a program that wrote outputs to `folder` again, without oneDNN.

    Args:
      program: the module of the program.
      model: its first argument.
      folder: the folder with the outputs: 0.npy and so on.
      words: its other arguments, after the folder.
    """
    limits = full_tensorflow.Limits.of_model(model.stat().st_size)
    other = folder / _FOLDER
    other.mkdir()
    # Some ops only have kernels with oneDNN: then there is nothing to compare.
    with contextlib.suppress(full_tensorflow.Failed):
        full_tensorflow.run(program, [model, other, *words], folder, limits, _SETTINGS)


def warnings(outputs: Sequence[str], folder: Path) -> Iterator[str]:
    """Yields a warning for each output that differs by more than the default tolerance, with a larger tolerance.

    Args:
      outputs: their names, in the order of the files.
      folder: the folder with the outputs of both runs.
    """
    from tfcarve.proof import npy_arrays
    from tfcarve.proof.difference import TOLERANCES, largest_difference, number_type

    for number, name in enumerate(outputs):
        first, second = folder / f"{number}.npy", folder / _FOLDER / f"{number}.npy"
        if not second.is_file():
            continue
        expected, actual = npy_arrays.read(first), npy_arrays.read(second)
        kind = number_type(expected.dtype)
        if kind not in TOLERANCES or actual.shape != expected.shape:
            continue
        found = largest_difference(actual, expected)
        if TOLERANCES[kind] < found < math.inf:
            yield (
                f"output {name!r} differs by {found:.1e} * (1 + |expected|) between two runs of TensorFlow, with and without "
                f"oneDNN: set the tolerance of tf_model_test above its default of {TOLERANCES[kind]:.0e}, "
                f'such as {{"{kind}": "{_FACTOR * found:.0e}"}}'
            )
