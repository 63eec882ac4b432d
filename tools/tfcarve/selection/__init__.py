"""Selects the ops, kernels and sources to compile, from models and the registrations in TensorFlow.

Here: from NodeUses and the index to a selection, and the errors about what is missing.
Not here: reading models; generating files.
"""
