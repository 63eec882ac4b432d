"""The targets of a release's folder: its data, its own overrides, and the programs that update the data."""

load("@rules_cc//cc:defs.bzl", "cc_library")
load("//rules/private/tensorflow:release_data.bzl", "core_bzl_update", "optional_sources_update", "output_types_update")

visibility("//third_party/tensorflow/releases/...")

def release_package(name, release, sources):
    """Declares the targets.

    Args:
      name: of the filegroup with the data that the tools read.
      release: name of the release.
      sources: SOURCES in core.bzl of the release.
    """
    native.exports_files([
        "BUILD",
        "core.bzl",
        "pins.json",
        "tensorflow.BUILD",
    ])

    # Also the sources that the kernel index reads in addition to TensorFlow's. Only these overrides: the index is created again
    # when one of them changes.
    native.filegroup(
        name = name,
        srcs = native.glob([
            "*.json",
            "*.toml",
            "*.yaml",
            "generated_headers/**/*.h",
        ]) + ["//third_party/tensorflow:overrides/kernels/" + source for source in sources.added_kernels],
        visibility = ["//third_party/tensorflow/releases:__pkg__"],
    )

    # The overrides that only this release has. Units include the kernels in place of TensorFlow's sources with the same paths.
    native.exports_files(native.glob(
        ["overrides/core/**"],
        allow_empty = True,
    ))
    native.filegroup(
        name = "override_files",
        srcs = native.glob(
            ["overrides/**"],
            allow_empty = True,
        ),
        visibility = ["//tests:__subpackages__"],
    )
    cc_library(
        name = "override_kernels",
        hdrs = native.glob(
            ["overrides/kernels/**"],
            allow_empty = True,
        ),
        strip_include_prefix = "overrides/kernels",
        visibility = ["//visibility:public"],
    )

    # Headers that TensorFlow's own build generates.
    cc_library(
        name = "generated_headers",
        hdrs = native.glob(["generated_headers/**/*.h"]),
        includes = ["generated_headers"],
        visibility = ["//visibility:public"],
    )

    core_bzl_update(
        name = "update",
        release = release,
    )
    optional_sources_update(
        name = "update_optional_sources",
        release = release,
    )
    output_types_update(
        name = "update_output_types",
        release = release,
    )
