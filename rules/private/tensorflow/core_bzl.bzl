"""core_bzl_update: writes core.bzl of a release into the source tree."""

load("//rules/private/python:python.bzl", "py_tool")

def core_bzl_update(name, release):
    """A program that writes third_party/tensorflow/releases/<release>/core.bzl from release.toml and TensorFlow's tree.

    Args:
      name: of the target, for `bazel run`.
      release: name of the release.
    """
    py_tool(
        name = name,
        args = [release, "$(rootpath @tfcarve_tensorflow//:tensorflow/core/public/version.h)"],
        data = [
            "@tfcarve_tensorflow//:sources",
            "@tfcarve_tensorflow//:tensorflow/core/public/version.h",
        ],
        main = "tfcarve.build_files.update_core",
        tags = ["manual"],
        deps = ["//tools:tfcarve_sources"],
    )
