"""Drawings of models: boxes of name scopes, laid out by Graphviz, as SVG, DOT or HTML; event files for TensorBoard.

Here: from a model to a picture: boxes of name scopes, Graphviz, HTML, event files for TensorBoard.
Not here: reading models.
"""
