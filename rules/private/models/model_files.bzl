"""Kinds of model files."""

visibility(["//rules/private/..."])

# Keras files, which only full TensorFlow reads. The same as SUFFIXES in tools/tfcarve/models/keras.py.
KERAS_EXTENSIONS = ["keras", "h5", "hdf5"]
