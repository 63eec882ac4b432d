"""Tensor layouts, and the conversion of nodes to channels last.

Here: channels first and channels last.
Not here: the transform convert_layout.
"""
