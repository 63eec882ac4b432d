"""Sizes of carved libraries, and what options and link flags save.

Here: sizes of libraries, and what options and link flags save.
Not here: sizes of single sources.
"""
