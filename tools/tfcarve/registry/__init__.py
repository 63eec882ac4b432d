"""The kernel index: all ops and kernels that a TensorFlow source tree registers.

Here: the kernel index: sources to registrations.
Not here: what a model needs.
"""
