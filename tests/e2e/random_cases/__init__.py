"""Random ops, and comparison of their outputs with full TensorFlow's.

Here: random ops with their inputs, and comparison of outputs with full TensorFlow's.
Not here: fixed graphs.
"""
