"""The demo: Inception v3, from the model to libraries that run it."""
