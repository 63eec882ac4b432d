"""Tests of tools/runtime.

Here: C++ unit tests of `tools/runtime`.
Not here: running models.
"""
