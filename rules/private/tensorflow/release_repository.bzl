"""@tfcarve_tensorflow: the TensorFlow release that the build uses, under one name for all releases."""

visibility(["//rules", "//rules/private/tensorflow"])

# Targets of a release that BUILD files name. Rules read TensorFlowInfo of `release`.
_TARGETS = [
    "core_headers",
    "flex_java",
    "hot_precompiled_headers",
    "index",
    "lite_java",
    "precompiled_headers",
    "release",
    "source_folders",
    "sources",
]

_FILES = [
    "tensorflow/core/framework/registration/registration.h",
    "tensorflow/core/public/version.h",
]

_EXPORTS = 'exports_files(["release.bzl"], visibility = ["//visibility:public"])\n'

_ALIAS = """
alias(
    name = "{name}",
    actual = "@{repository}//:{name}",
    visibility = ["//visibility:public"],
)
"""

_RELEASE_BZL = '''"""The facts about the release that .bzl files need while they are loaded."""

load("@tfcarve//third_party/tensorflow/releases/{release}:core.bzl", "SOURCES")

DEFINES = SOURCES.defines

# Including the optional sources of other projects.
OPTIONAL_SOURCES = SOURCES.optional_sources

# The tree's root, as actions see it.
ROOT = Label("@{repository}//:BUILD.bazel").workspace_root
'''

def repository_name(release):
    """Returns the repository of a release: tfcarve_tensorflow_2_14."""
    return "tfcarve_tensorflow_" + release.replace(".", "_")

def _release_repository_impl(ctx):
    names = struct(release = ctx.attr.release, repository = repository_name(ctx.attr.release))
    ctx.file("BUILD.bazel", _EXPORTS + "".join([
        _ALIAS.format(name = name, repository = names.repository)
        for name in _TARGETS + _FILES
    ]))
    ctx.file("release.bzl", _RELEASE_BZL.format(release = names.release, repository = names.repository))
    ctx.file("WORKSPACE", "")

release_repository = repository_rule(
    implementation = _release_repository_impl,
    doc = "Aliases of the targets of a release.",
    attrs = {"release": attr.string(mandatory = True, doc = "Name of a release.")},
)
