"""Measures the value ranges of a model's tensors on samples, for quantization.

Here: measuring the value ranges of a model's tensors on samples.
Not here: quantizing, which transforms do.
"""
