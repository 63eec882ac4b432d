"""Whether TensorFlow loads a graph and creates its kernels, without TensorFlow."""
