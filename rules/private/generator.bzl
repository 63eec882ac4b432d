"""A program that makes sources, built once for all libraries, whatever their options are."""

visibility("public")

# The exec configuration has the options of the library that the sources are for, and with them other
# paths: a program in there would be compiled again for each set of options.
DEFAULT_OPTIONS = {
    str(Label("//rules/config:hot_copts")): ["-O2"],
    str(Label("//rules/config:library_copts")): [],
    str(Label("//rules/config:log_kernel_sources")): False,
    str(Label("//rules/config:log_messages")): True,
    str(Label("//rules/config:protos")): "lite",
}

_without_options = transition(
    implementation = lambda _settings, _attr: DEFAULT_OPTIONS,
    inputs = [],
    outputs = DEFAULT_OPTIONS.keys(),
)

def _generator_impl(ctx):
    link = ctx.actions.declare_file(ctx.label.name)
    ctx.actions.symlink(output = link, target_file = ctx.executable.program, is_executable = True)
    return [DefaultInfo(executable = link, runfiles = ctx.attr.program[DefaultInfo].default_runfiles)]

generator = rule(
    implementation = _generator_impl,
    cfg = _without_options,
    executable = True,
    attrs = {
        "program": attr.label(executable = True, cfg = "target", mandatory = True),
        "_allowlist_function_transition": attr.label(
            default = "@bazel_tools//tools/allowlists/function_transition_allowlist",
        ),
    },
)
