"""TensorFlow's own tests of kernels, on the overrides of these kernels."""
