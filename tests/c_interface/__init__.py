"""The header of the C interface as data, and the Python module that is written from it.

Here: reading the header of the C interface, and writing its declarations for the Python client.
Not here: the layouts that compilers choose, and calls of a library.
"""
