"""Freezing: converts a model to a GraphDef in which variables and tables are constants."""
