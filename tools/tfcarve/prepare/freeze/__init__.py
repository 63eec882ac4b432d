"""Freezing: converts a model to a GraphDef in which variables and tables are constants.

Here: from a SavedModel, Keras file or checkpoint to a GraphDef with constants.
Not here: transforms of frozen graphs.
"""
