"""parts_for: the archives of a library's units and helper sources for one platform, without the core."""

_PLATFORMS = "//command_line_option:platforms"

_for_platform = transition(
    implementation = lambda _settings, attr: {
        _PLATFORMS: str(Label("@tfcarve//rules/platforms:" + attr.platform)),
    },
    inputs = [],
    outputs = [_PLATFORMS],
)

parts_for = rule(
    implementation = lambda ctx: [DefaultInfo(files = ctx.attr.library[0][OutputGroupInfo].parts)],
    attrs = {
        "library": attr.label(cfg = _for_platform, mandatory = True),
        "platform": attr.string(mandatory = True),
        "_allowlist_function_transition": attr.label(
            default = "@bazel_tools//tools/allowlists/function_transition_allowlist",
        ),
    },
)
