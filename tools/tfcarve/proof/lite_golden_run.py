"""Runs a model in full TensorFlow Lite; tfcarve.full_tensorflow runs this program in a separate process.

usage: lite_golden_run.py MODEL FOLDER SIGNATURE INPUT=FILE.npy... -- OUTPUT...
SIGNATURE may be empty. Writes FOLDER/0.npy and so on, one for each OUTPUT.
"""

import sys
from pathlib import Path

import tensorflow as tf

from tfcarve import full_tensorflow
from tfcarve.proof import lite_model, npy_arrays
from tfcarve.proof.lite_model import LiteError
from tfcarve.proof.npy_arrays import ArrayError


def main(argv: list[str]) -> None:
    """Runs the model once."""
    model, folder, signature, *words = argv
    inputs, outputs = words[: words.index("--")], words[words.index("--") + 1 :]
    feeds = {}
    for word in inputs:
        name, _, file = word.partition("=")
        feeds[name] = npy_arrays.read(Path(file))
    interpreter = tf.lite.Interpreter(model_path=model, num_threads=1)
    arrays = lite_model.run(interpreter, signature, feeds, outputs)
    for number, (name, array) in enumerate(zip(outputs, arrays, strict=True)):
        npy_arrays.write(Path(folder, f"{number}.npy"), f"the output {name!r}", array)


if __name__ == "__main__":
    try:
        main(sys.argv[1:])
    except ArrayError as error:
        full_tensorflow.report(str(error))
        sys.exit(2)
    except (LiteError, RuntimeError, ValueError) as error:
        full_tensorflow.report(str(error))
        sys.exit(1)
