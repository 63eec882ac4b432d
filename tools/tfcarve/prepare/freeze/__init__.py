"""Freezing: a model of any form becomes a GraphDef with its variables and tables as constants."""
