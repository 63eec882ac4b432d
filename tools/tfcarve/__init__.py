"""tfcarve: builds the smallest TensorFlow library that runs an app's models."""

__version__ = "0.1.0"
