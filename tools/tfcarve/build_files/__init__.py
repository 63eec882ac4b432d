"""Reads TensorFlow's BUILD files as data: the sources of the core, and the helper sources of each kernel source.

Here: TensorFlow's BUILD files, evaluated as data; `core.bzl` generated from them.
Not here: compiling.
"""
