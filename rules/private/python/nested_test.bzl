"""Tests of this repository that run Bazel in a nested workspace."""

load(":python.bzl", "py_tool_test")

def nested_test(name, size = "enormous", data = [], tags = [], **kwargs):
    """A test that runs Bazel in its own workspace, as a user does: the pytest functions in NAME.py.

    It reads this repository's sources and writes to the user's caches, which Bazel does not track. So it runs without a
    sandbox and not in parallel with other tests, and its result is valid until one of these sources changes.

    Args:
        name: name of the target and, with .py, of its source.
        size: enough to build TensorFlow's core; smaller for a test that does not.
        data: further files that it reads.
        tags: further tags; "manual" for a test that runs only by its name.
        **kwargs: deps, env, and common attributes of tests.
    """
    py_tool_test(
        name = name,
        size = size,
        srcs = [name + ".py"],
        # In a function, because apps do not have tfcarve_sources_digest.
        data = data + [Label("@tfcarve_sources_digest//:sources.sha256")],
        tags = [
            "exclusive",
            "local",
        ] + tags,
        **kwargs
    )
