"""The kernel index: every op and kernel that a TensorFlow source tree registers."""
