"""Runs a model as TensorFlow loads it: with its variables, tables and function calls, not frozen."""
