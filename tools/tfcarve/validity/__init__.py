"""Checks without TensorFlow whether TensorFlow loads a graph and creates its kernels.

Here: checks of graphs that TensorFlow makes when it loads them: types, inputs, attributes, frames, tables.
Not here: kernels, which are in `selection/`.
"""
