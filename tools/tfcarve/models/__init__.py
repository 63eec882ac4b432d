"""Readers of model files: each returns the nodes of a model as NodeUses. Preparation (freezing) is in prepare/.

Here: readers of model files: bytes to NodeUses.
Not here: TensorFlow imports.
"""
