"""Runs two models on the same inputs and compares their outputs.

Here: running two models on the same inputs and comparing their outputs.
Not here: comparing graphs node by node.
"""
