"""Why there is no C++ toolchain for some platforms, as a target: the machine's repository knows."""

visibility("public")

MissingToolchainsInfo = provider(
    doc = "The platforms that nothing can be compiled for, unless an app registers a toolchain.",
    fields = {"reasons": "dict[string, string]: name of a platform to what is missing and how to get it."},
)

def _missing_toolchains_impl(ctx):
    return [MissingToolchainsInfo(reasons = ctx.attr.reasons)]

missing_toolchains = rule(
    implementation = _missing_toolchains_impl,
    doc = "Tells for platforms why there is no C++ toolchain.",
    attrs = {"reasons": attr.string_dict(doc = "As in MissingToolchainsInfo.")},
)
