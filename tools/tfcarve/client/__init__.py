"""The Python client of a carved library: loads it and calls its C interface.

Here: calling a carved shared library from Python, and the arrays that go in and come out.
Not here: which models and values it gets, and measuring its runs.
"""
