"""Carved Flex delegates in interpreters of TensorFlow Lite from packages.

Here: Flex delegates in interpreters from packages, and under TensorFlow's own tests.
Not here: copies of TensorFlow's tests, which are fetched.
"""
