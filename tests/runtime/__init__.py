"""Tests of tools/runtime.

Here: C++ unit tests of `tools/runtime`, one folder for each of its folders.
Not here: running models.
"""
