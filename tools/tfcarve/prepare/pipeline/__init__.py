"""Lists of transforms, applied to a graph one after the other, with checks after each.

Here: lists of transforms, applied one after the other with checks after each.
Not here: the transforms.
"""
