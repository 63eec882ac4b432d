"""Loops, branches and calls in a graph: frames, liveness, conditions and inlining.

Here: loops, branches and calls: frames, liveness, conditions, inlining, and constants in a loop.
Not here: recurrent layers.
"""
