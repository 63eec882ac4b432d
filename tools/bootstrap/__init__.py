"""What has to work before Bazel and any Python package are there: the standard library only."""
