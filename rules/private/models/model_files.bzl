"""Kinds of model files."""

visibility(["//rules/private/..."])

# Keras files, which only full TensorFlow reads. SUFFIXES in tools/tfcarve/models/keras.py has these endings, too.
KERAS_EXTENSIONS = ["keras", "h5", "hdf5"]

# GraphDefs in the text format, which libraries do not read.
TEXT_EXTENSIONS = (".pbtxt", ".pb.txt")
