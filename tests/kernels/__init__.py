"""TensorFlow's own tests of kernels, on the overrides of these kernels.

Here: TensorFlow's own tests of kernels, on the overrides of these kernels.
Not here: copies of TensorFlow's tests, which are fetched.
"""
