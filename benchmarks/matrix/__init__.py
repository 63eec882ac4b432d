"""Speed and code size of matrix products.

Here: matrix products of floats and bytes, compared with other implementations.
Not here: whole models.
"""
