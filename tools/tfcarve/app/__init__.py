"""Builds libraries in Bazel workspaces, without one of the user's own.

Here: workspaces that tfcarve writes, builds in them, and their outputs.
Not here: the rules that these workspaces use.
"""
