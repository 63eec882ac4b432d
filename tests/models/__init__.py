"""Models for the tests and the demo, with inputs and full TensorFlow's outputs."""
