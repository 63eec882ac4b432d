"""core_bzl_update: writes core.bzl of a release into the source tree."""

load("//rules/private/python:python.bzl", "py_tool")
load(":release_repository.bzl", "repository_name")

def core_bzl_update(name, release):
    """A program that writes third_party/tensorflow/releases/<release>/core.bzl from release.toml and the release's tree.

    Args:
      name: of the target, for `bazel run`.
      release: name of the release.
    """
    tree = "@" + repository_name(release)
    version = tree + "//:tensorflow/core/public/version.h"
    py_tool(
        name = name,
        args = [release, "$(rootpath %s)" % version],
        data = [tree + "//:sources", version],
        main = "tfcarve.build_files.update_core",
        tags = ["manual"],
        deps = ["//tools:tfcarve_sources"],
    )
