"""source_groups: sources that a compiler reads together.

Each source that a compiler reads alone takes a second for the headers, even if they are precompiled.
"""

load("@bazel_skylib//rules:common_settings.bzl", "BuildSettingInfo")
load("@rules_cc//cc:defs.bzl", "CcInfo", "cc_common")
load("//rules/private/outputs:declare.bzl", "declare")

visibility(["//rules/private/...", "//tests/rules"])

def in_repository(file):
    """Returns the path of a File in its repository, by which sources include it."""
    return "/".join(file.short_path.split("/")[2:]) if file.short_path.startswith("../") else file.short_path

def _groups(srcs, size):
    """Divides sources: a group has sources of one folder, at most `size`. Sources of messages are in other groups.

    Args:
      srcs: list of Files.
      size: a number.

    Returns:
      dict from the file name of a group to a list of Files, in the order of `srcs`.
    """
    folders = {}
    for source in srcs:
        folder = in_repository(source).rpartition("/")[0].replace("/", "_").replace("+", "x")
        extension = "pb.cc" if source.basename.endswith(".pb.cc") else "cc"
        folders.setdefault((folder or "sources", extension), []).append(source)
    return {
        "%s_%d.%s" % (folder, start // size + 1, extension): sources[start:start + size]
        for (folder, extension), sources in folders.items()
        for start in range(0, len(sources), size)
    }

def _source_groups_impl(ctx):
    if not ctx.attr._enabled[BuildSettingInfo].value:
        return [DefaultInfo(files = depset(ctx.files.srcs)), CcInfo()]
    written = []
    for name, sources in _groups(ctx.files.srcs, ctx.attr.size).items():
        group = declare(ctx, name)
        ctx.actions.write(group, "".join(['#include "%s"\n' % in_repository(source) for source in sources]))
        written.append(group)
    return [
        DefaultInfo(files = depset(written)),
        CcInfo(compilation_context = cc_common.create_compilation_context(headers = depset(ctx.files.srcs))),
    ]

source_groups = rule(
    implementation = _source_groups_impl,
    doc = """C++ sources that include the sources of a folder.

A library has the target in its srcs, and in its implementation_deps. With `--@tfcarve//rules/config:source_groups=False`, each
source is compiled alone: an object has the name of its source then.""",
    provides = [CcInfo],
    attrs = {
        "size": attr.int(default = 6, doc = "The largest number of sources in a group."),
        "srcs": attr.label_list(allow_files = [".c", ".cc"], mandatory = True),
        "_enabled": attr.label(default = "//rules/config:source_groups", providers = [BuildSettingInfo]),
    },
)
