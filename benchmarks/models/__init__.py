"""Outputs of models of many kinds in one carved library.

Here: outputs of many models in one library, compared with TensorFlow.
Not here: models, which are in `tests/`.
"""
