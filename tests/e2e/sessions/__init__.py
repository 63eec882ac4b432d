"""Running graphs in a built library, in this process or in one of their own.

Here: running graphs in a built library, in the test's process or in one of its own.
Not here: building the library.
"""
