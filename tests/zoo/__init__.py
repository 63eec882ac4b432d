"""A zoo of generated models, for which tfcarve's selections are compared with the results of TensorFlow's own tool."""
