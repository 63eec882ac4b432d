"""Reads TensorFlow's BUILD files as data: the sources of the core, and the helper sources of each kernel source."""
