"""Benchmarks of tfcarve against other tools: one folder for each subject.

Here: measurements: what several of them use; each folder below has one subject.
Not here: tests; code that tfcarve runs.
"""
