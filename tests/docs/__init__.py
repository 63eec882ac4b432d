"""Generates the reference pages of the documentation and tests all of its pages."""
