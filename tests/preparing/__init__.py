"""Preparation of models in the environments of several releases of TensorFlow."""
