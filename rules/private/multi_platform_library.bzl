"""tf_multi_platform_library: one carved library, built for several platforms at once."""

load("//rules:providers.bzl", "TfMobileLibraryInfo")
load("//rules/platforms:table.bzl", "PLATFORMS")

visibility("public")

_PLATFORMS = "//command_line_option:platforms"

def _each_platform_impl(_settings, attr):
    return {name: {_PLATFORMS: str(Label("//rules/platforms:" + name))} for name in attr.platforms}

_each_platform = transition(
    implementation = _each_platform_impl,
    inputs = [],
    outputs = [_PLATFORMS],
)

def _multi_platform_library_impl(ctx):
    groups = {}
    everything = []
    for platform in ctx.attr.platforms:
        library = ctx.split_attr.library[platform][TfMobileLibraryInfo]
        files = [_placed(ctx, platform, f) for f in [
            library.link_flags,
            library.registrations,
            library.selection,
            library.shared_library,
            library.static_library,
        ]]
        groups[platform] = depset(files)
        groups[platform + "_runner"] = depset([_placed(ctx, platform, library.runner)])
        everything += files
    return [
        DefaultInfo(files = depset(everything)),
        OutputGroupInfo(**groups),
    ]

def _placed(ctx, platform, file):
    """The file under <name>/<platform>/: every platform's has the same name."""
    link = ctx.actions.declare_file("%s/%s/%s" % (ctx.label.name, platform, file.basename))
    ctx.actions.symlink(output = link, target_file = file)
    return link

_multi_platform_library = rule(
    implementation = _multi_platform_library_impl,
    attrs = {
        "library": attr.label(
            cfg = _each_platform,
            mandatory = True,
            providers = [TfMobileLibraryInfo],
        ),
        "platforms": attr.string_list(mandatory = True, allow_empty = False),
        "_allowlist_function_transition": attr.label(
            default = "@bazel_tools//tools/allowlists/function_transition_allowlist",
        ),
    },
)

def tf_multi_platform_library(name, library, platforms, **kwargs):
    """Builds a tf_mobile_library for several platforms.

    Outputs go to <name>/<platform>/; each platform is an output group, and <platform>_runner the
    program that runs a model in that library.

    Args:
      name: of the target.
      library: a tf_mobile_library.
      platforms: names from //rules/platforms, e.g. ["linux_x86_64", "linux_arm64"].
      **kwargs: attributes that every rule has.
    """
    unknown = [p for p in platforms if p not in PLATFORMS]
    if unknown:
        fail("tf_multi_platform_library %s: no platform %s; there are: %s" % (
            name,
            ", ".join(unknown),
            ", ".join(sorted(PLATFORMS)),
        ))
    _multi_platform_library(name = name, library = library, platforms = platforms, **kwargs)
