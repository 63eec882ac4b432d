"""The demo: carves libraries for Inception v3 and runs the model in them.

Here: the demo, and what tests and benchmarks share: builds in nested workspaces, models, Python for ARM.
Not here: code that the command line tool imports.
"""
