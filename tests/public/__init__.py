"""Public models, their outputs in full TensorFlow, and their runs in a carved library.

Here: public models of PyPI packages and Keras, and running them.
Not here: models that are made here.
"""
