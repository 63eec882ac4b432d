"""The lists of ops of TensorFlow's packages, and the program that compares them.

Here: the program that lists the ops of later TensorFlow releases, from TensorFlow's packages.
Not here: the list.
"""
