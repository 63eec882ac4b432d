"""Checks that a built library registers the ops and kernels of its selection, and no others.

Here: what a built library registers, compared with its selection; what models compute, compared with goldens.
Not here: measuring time or size.
"""
