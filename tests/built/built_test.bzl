"""built_test: a test of libraries that //tests/built makes."""

load("//tests:py_tool_test.bzl", "py_tool_test")

def built_test(name, groups, full = None, data = [], deps = [], tags = [], **kwargs):
    """A test that runs, reads or compares libraries which a nested build made.

    Args:
      name: of the target, and of its source without .py.
      groups: of //tests/built:libraries whose files it reads.
      full: if the test has more cases in a full run: the groups of any nested build that it reads then. Creates `<name>_full`.
      data: further files that it reads.
      deps: as in py_tool_test.
      tags: tags of the test.
      **kwargs: common attributes of tests.
    """
    runs = {name: (["libraries_" + group for group in groups], [])}
    if full != None:
        runs[name + "_full"] = (full, ["manual"])
    for target, (folders, manual) in runs.items():
        py_tool_test(
            name = target,
            size = "large",
            srcs = [name + ".py"],
            data = data + ["//tests/built:" + folder for folder in folders],
            tags = tags + manual,
            deps = deps + ["//tests/extent"],
            **kwargs
        )
