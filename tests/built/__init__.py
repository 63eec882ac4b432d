"""Libraries that one nested build makes for many tests.

Here: the nested build of the libraries that tests share.
Not here: tests of the build itself.
"""
