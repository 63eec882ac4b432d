"""Ops and attributes of models that the TensorFlow release that is built does not have yet."""
