"""Inputs of a graph that get a constant value, or that only training changes.

Here: inputs that get a constant value, or that only training changes.
Not here: the samples of `calibrate` and `compare`.
"""
