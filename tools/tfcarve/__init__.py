"""tfcarve: carves the smallest TensorFlow library that still runs an app's models."""

__version__ = "0.1.0"
