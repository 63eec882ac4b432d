"""Saves a Keras model as a SavedModel; run as a program by the Python that has TensorFlow.

It loads what the file names: keras_config looks first at what that is.
"""

import os
import resource
import sys

# What TensorFlow takes for itself, on many processors too, and how many times its weights a model takes.
_SPARE = 8 << 30
_TIMES = 8


def main(path: str, folder: str) -> None:
    """Saves the model at `path` into `folder`, in memory in proportion to the file: a layer may claim any size."""
    _, most = resource.getrlimit(resource.RLIMIT_DATA)
    limit = _SPARE + _TIMES * os.path.getsize(path)
    resource.setrlimit(resource.RLIMIT_DATA, (min(limit, most) if most >= 0 else limit, most))

    import tensorflow as tf

    model = tf.keras.models.load_model(path, compile=False, safe_mode=True)
    tf.saved_model.save(model, folder)


if __name__ == "__main__":
    main(*sys.argv[1:])
