"""Graphs for tests, and what full TensorFlow computes for some of them.

Here: graphs and models that tests make, and what full TensorFlow computes for some of them.
Not here: models that several folders of tests share, which are in `tests/models/`.
"""
