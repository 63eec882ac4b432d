"""Code that runs before Bazel and any Python package are installed: standard library only."""
