"""The demo: carves libraries for Inception v3 and runs the model in them."""
