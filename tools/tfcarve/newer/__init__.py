"""Ops and attributes of models that the TensorFlow release that is built does not have yet.

Here: ops, attributes and versions of models that the built TensorFlow does not have.
Not here: reading models; the list of these ops, which is data in `third_party/`.
"""
