"""Runs a model as TensorFlow loads it: with its variables, tables and function calls, not frozen.

Here: running a model that is not frozen, as TensorFlow loads it.
Not here: changing the model.
"""
