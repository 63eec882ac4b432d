"""Quantized weights and nodes: ranges, plans, biases and the nodes that replace floats.

Here: quantized weights and nodes, and the ranges of ranges.json.
Not here: measuring ranges.
"""
