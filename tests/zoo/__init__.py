"""A zoo of generated models, for which tfcarve's selections are compared with the results of TensorFlow's own tool.

Here: models of many kinds, compared with TensorFlow's own tool.
Not here: models that libraries are built for, which are in `tests/models/`.
"""
