"""compiled_library: sources that are compiled again with another compiler."""

load("@rules_cc//cc:defs.bzl", "cc_library")
load(":source_groups.bzl", "source_groups")

visibility("public")

def compiled_library(name, srcs = [], grouped_srcs = [], implementation_deps = [], tags = [], **kwargs):
    """A cc_library whose actions have the identity of the compiler as an input.

    Machines with other compilers then do not share objects through a cache.

    Args:
      name: of the target.
      srcs: as in cc_library.
      grouped_srcs: C++ sources that are compiled together. They have no names in common that are private to a source.
      implementation_deps: as in cc_library.
      tags: as in cc_library.
      **kwargs: other attributes of cc_library.
    """
    groups = []
    if grouped_srcs:
        groups = [":%s_groups" % name]
        source_groups(
            name = name + "_groups",
            srcs = grouped_srcs,
            tags = tags,
            visibility = ["//visibility:private"],
        )
    cc_library(
        name = name,
        srcs = srcs + groups,
        additional_compiler_inputs = [Label("//rules/private/cc:system_compiler")],
        implementation_deps = implementation_deps + groups,
        linkstatic = True,
        tags = tags,
        **kwargs
    )
