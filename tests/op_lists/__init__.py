"""The lists of ops of TensorFlow's packages, and the program that compares them."""
