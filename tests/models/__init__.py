"""Models for the tests and the demo, with inputs and full TensorFlow's outputs.

Here: models that tests and the demo share.
Not here: models of one test.
"""
