"""Tests of this repository that run Bazel in a nested workspace."""

load(":python.bzl", "py_tool_test")

def nested_test(name, size = "enormous", data = [], tags = [], **kwargs):
    """A test that runs Bazel in a workspace of its own, as a user does: the pytest functions in NAME.py.

    It reads this repository's sources and writes to the user's caches, both out of Bazel's sight: so no
    sandbox, no other test at the same time, and its result holds until one of these sources changes.

    Args:
        name: name of the target and, with .py, of its source.
        size: what such a test needs that builds TensorFlow's core, the first time; less where it does not.
        data: what it reads besides.
        tags: more tags: "manual" for one that runs by its name only.
        **kwargs: deps, env, and what every test has.
    """
    py_tool_test(
        name = name,
        size = size,
        srcs = [name + ".py"],
        # Spelled in a function, for apps have no tfcarve_sources_digest.
        data = data + [Label("@tfcarve_sources_digest//:sources.sha256")],
        tags = [
            "exclusive",
            "local",
        ] + tags,
        **kwargs
    )
