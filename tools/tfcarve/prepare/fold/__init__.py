"""Nodes that can be computed before a graph runs, and scales that can become part of weights.

Here: scales and offsets that become part of weights.
Not here: the transforms that use them.
"""
