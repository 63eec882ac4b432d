"""Tests of apps and their libraries, built in a workspace as a user of tfcarve does; folders with their helpers.

Here: tests of apps: of their libraries, and of building them in nested workspaces.
Not here: tests of `tools/tfcarve`.
"""
