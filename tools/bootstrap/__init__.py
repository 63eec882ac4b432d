"""Code that runs before Bazel and any Python package are installed: standard library only.

Here: what runs before anything is installed: Bazel, sources, Python environments; standard library only.
Not here: anything about TensorFlow.
"""
