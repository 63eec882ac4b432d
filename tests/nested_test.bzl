"""Tests of this repository that run Bazel in a nested workspace."""

load(":py_tool_test.bzl", "py_tool_test")

def nested_test(name, srcs = None, size = "enormous", data = [], env = {}, tags = [], full = False, only_builds = False, own_workspace = False, **kwargs):
    """A test that runs Bazel in its own workspace, as a user does.

    It reads this repository's sources and writes to the user's caches, which Bazel does not track. So it runs without a
    sandbox, and its result is valid until one of these sources changes. Most such tests use the same workspace, so one of
    them runs at a time, next to other tests: .bazelrc declares the resource. The nested build of the libraries that other
    tests need comes first: an action cannot take such a resource, and would wait for the tests.

    Bazel ends all processes of a test with it, also the nested server. The next test starts one, which loads and analyzes the
    app again. So tests that build similar targets are the sources of one test.

    Args:
        name: name of the target.
        srcs: the sources with the pytest functions; by default NAME.py.
        size: enough to build TensorFlow's core; smaller for a test that does not.
        data: further files that it reads.
        env: further variables of its environment.
        tags: further tags; "manual" for a test that runs only by its name.
        full: whether the test has more cases in a full run: creates `<name>_full`.
        only_builds: whether of tfcarve's commands it runs only those that build a library. If not, it runs again after each
            change of tfcarve.
        own_workspace: whether no other test uses its workspace. One such test runs next to one of the others.
        **kwargs: deps, and common attributes of tests.
    """
    digests = "@tfcarve_sources_digest//:"
    sources = [digests + "others.sha256", "//tools:build"] if only_builds else [digests + "sources.sha256"]
    for target, manual in [(name, [])] + ([(name + "_full", ["manual"])] if full else []):
        py_tool_test(
            name = target,
            size = size,
            srcs = srcs or [name + ".py"],
            data = data + sources + [Label("//tests/built:libraries_done")],
            # Other tests wait for it: it has a higher priority than tests without builds.
            env = {"TFCARVE_NICE": "5"} | env,
            tags = [
                "local",
                "resources:%s:1" % ("own_workspace" if own_workspace else "app_workspace"),
            ] + tags + manual,
            **kwargs
        )
