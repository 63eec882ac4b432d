"""missing_toolchains: the platforms without a C++ toolchain on this machine, with reasons."""

visibility("public")

MissingToolchainsInfo = provider(
    doc = "The platforms that need a toolchain from the app.",
    fields = {"reasons": "dict[string, string]: platform name to the missing programs and how to get them."},
)

def _missing_toolchains_impl(ctx):
    return [MissingToolchainsInfo(reasons = ctx.attr.reasons)]

missing_toolchains = rule(
    implementation = _missing_toolchains_impl,
    doc = "The reasons why platforms have no C++ toolchain.",
    attrs = {"reasons": attr.string_dict(doc = "For each platform without a toolchain, the reason.")},
)
