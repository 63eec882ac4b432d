"""Tests of the apps in examples/.

Here: building and running the apps.
Not here: the apps.
"""
