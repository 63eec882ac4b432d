"""Formatters and checkers, run on all tracked files."""
