"""The kernel index: all ops and kernels that a TensorFlow source tree registers."""
