"""Models for the tests and the demo, with what full TensorFlow makes of them."""
