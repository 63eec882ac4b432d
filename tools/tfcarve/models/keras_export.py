"""Saves a Keras model as a SavedModel; run as a program by the Python that has TensorFlow.

It loads what the file names: keras_config looks first at what that is.
"""

import sys


def main(path: str, folder: str) -> None:
    """Saves the model at `path` into `folder`."""
    import tensorflow as tf

    model = tf.keras.models.load_model(path, compile=False, safe_mode=True)
    tf.saved_model.save(model, folder)


if __name__ == "__main__":
    main(*sys.argv[1:])
