"""Time and memory of inferences in carved libraries.

Here: time and memory of a model in a carved library, compared with TensorFlow and TensorFlow Lite.
Not here: loops without a library.
"""
