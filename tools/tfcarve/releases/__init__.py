"""TensorFlow releases as data: the facts in which releases differ.

Here: the data of TensorFlow releases as typed values.
Not here: decisions that depend on a release's name.
"""
