"""Models of Keras 3, which a process with Keras 3 saves, and their runs in a carved library.

Here: models that Keras 3 saves, and their frozen graphs.
Not here: Keras 2, whose models are in `tests/zoo/` and `tests/tools/`.
"""
