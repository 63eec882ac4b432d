"""Targets compiled for several platforms in one build."""

load("@tfcarve//rules:defs.bzl", "TfMobileLibraryInfo")

_PLATFORMS = "//command_line_option:platforms"

def _each_platform_impl(_settings, attr):
    return {
        name: {
            _PLATFORMS: str(Label("@tfcarve//rules/platforms:" + name)),
            "//command_line_option:compilation_mode": "opt",
            "//command_line_option:force_pic": not name.startswith("android"),
        }
        for name in attr.platforms
    }

_each_platform = transition(
    implementation = _each_platform_impl,
    inputs = [],
    outputs = [_PLATFORMS, "//command_line_option:compilation_mode", "//command_line_option:force_pic"],
)

def _archives(target):
    return target[OutputGroupInfo].parts if TfMobileLibraryInfo in target else target[DefaultInfo].files

def _compiled_for_impl(ctx):
    files = []
    for platform in ctx.attr.platforms:
        for target in ctx.split_attr.targets[platform]:
            for archive in _archives(target).to_list():
                link = ctx.actions.declare_file("%s/%s/%s" % (ctx.label.name, platform, archive.basename))
                ctx.actions.symlink(output = link, target_file = archive)
                files.append(link)
    return [DefaultInfo(files = depset(files))]

compiled_for = rule(
    implementation = _compiled_for_impl,
    doc = "Provides <name>/<platform>/: the archive of each target; for a carved library, those of the selected kernels.",
    attrs = {
        "platforms": attr.string_list(mandatory = True),
        "targets": attr.label_list(cfg = _each_platform, mandatory = True),
        "_allowlist_function_transition": attr.label(
            default = "@bazel_tools//tools/allowlists/function_transition_allowlist",
        ),
    },
)
