"""Programs that write the generated data of a release into the source tree."""

load("//rules/private/python:python.bzl", "py_tool")
load(":release_repository.bzl", "repository_name")

def _update_from_sources(name, release, module):
    """A program that reads the release's tree."""
    tree = "@" + repository_name(release)
    version = tree + "//:tensorflow/core/public/version.h"
    py_tool(
        name = name,
        args = [release, "$(rootpath %s)" % version],
        data = [tree + "//:sources", version],
        main = "tfcarve." + module.replace("/", "."),
        tags = ["manual"],
        deps = ["//tools:tfcarve/" + module],
    )

def core_bzl_update(name, release):
    """A program that writes core.bzl from release.toml, optional_sources.json and the release's tree.

    Args:
      name: of the target, for `bazel run`.
      release: name of the release.
    """
    _update_from_sources(name, release, "build_files/update_core")

def output_types_update(name, release):
    """A program that writes output_types.json from the op definitions in the release's tree.

    Args:
      name: of the target, for `bazel run`.
      release: name of the release.
    """
    _update_from_sources(name, release, "registry/update_output_types")

def optional_sources_update(name, release):
    """A program that compiles the complete runtime for this machine and writes optional_sources.json.

    Args:
      name: of the target, for `bazel run`.
      release: name of the release.
    """
    objects = "@%s//:runtime_objects" % repository_name(release)
    py_tool(
        name = name,
        args = [release, "$(rootpath %s)" % objects],
        data = [objects],
        main = "tfcarve.runtime_sources.update",
        tags = ["manual"],
        deps = ["//tools:tfcarve/runtime_sources/update"],
    )
