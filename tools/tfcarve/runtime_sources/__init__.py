"""Optional sources: the sources of the runtime that a library needs in addition to the core.

Here: the optional sources of the runtime: how they are determined, and which of them a library needs.
Not here: helper sources of kernels.
"""
