"""Public models, their outputs in full TensorFlow, and their runs in a carved library."""
