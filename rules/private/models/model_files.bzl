"""Kinds of model files."""

visibility(["//rules/private/..."])

# Keras's files: only full TensorFlow reads them. As SUFFIXES in tools/tfcarve/models/keras.py.
KERAS_EXTENSIONS = ["keras", "h5", "hdf5"]
