"""A dependency built for each of a rule's `platforms`."""

load("//rules/platforms:table.bzl", "PLATFORMS")

visibility("private")

_PLATFORMS = "//command_line_option:platforms"

def _each_platform_impl(_settings, attr):
    return {name: {_PLATFORMS: str(Label("//rules/platforms:" + name))} for name in attr.platforms}

each_platform = transition(
    implementation = _each_platform_impl,
    inputs = [],
    outputs = [_PLATFORMS],
)

ALLOWLIST = {
    "_allowlist_function_transition": attr.label(
        default = "@bazel_tools//tools/allowlists/function_transition_allowlist",
    ),
}

def require_platforms(what, platforms, os):
    """Fails where a platform is not one of a system's.

    Args:
      what: rule and target, for the message.
      platforms: list of names.
      os: "android" or "ios".
    """
    known = sorted([name for name, row in PLATFORMS.items() if row.os == os])
    unknown = [name for name in platforms if name not in known]
    if unknown:
        fail("%s: %s is no platform of %s; there are: %s" % (what, ", ".join(unknown), os, ", ".join(known)))
