"""Comparing two graphs node by node.

Here: comparing two graphs node by node.
Not here: running them.
"""
