"""Nested builds of apps, and the libraries and logs that they leave.

Here: helpers that build in nested workspaces, and read the libraries and logs of these builds.
Not here: running graphs.
"""
