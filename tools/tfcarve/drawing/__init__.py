"""Drawings of models: boxes of name scopes, laid out by Graphviz, as SVG, DOT or HTML; event files for TensorBoard."""
