"""Measures the value ranges of a model's tensors on samples, for quantization."""
