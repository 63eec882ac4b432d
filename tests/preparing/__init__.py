"""Preparation of models in the environments of several releases of TensorFlow.

Here: preparation of a model by several releases of TensorFlow.
Not here: models of many kinds.
"""
