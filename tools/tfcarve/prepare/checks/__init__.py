"""Checks of graphs: the checks that TensorFlow makes when it loads a graph, and the limits of the release that is built.

Here: the checks that TensorFlow makes when it loads a graph, and those of the release that is built.
Not here: checks at selection, which are in `validity`.
"""
