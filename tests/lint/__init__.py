"""Formatters and checkers, run on all tracked files.

Here: formatters and checkers on all files.
Not here: checks of what pages say, which are in `tests/docs/`.
"""
