"""generator: a program that generates sources, the same one for all libraries and options."""

load("//rules/private/config:transitions.bzl", "TRANSITION_ATTRS", "default_options")
load("//rules/private/outputs:declare.bzl", "declare_named")

visibility("public")

def _generator_impl(ctx):
    link = declare_named(ctx)
    ctx.actions.symlink(output = link, target_file = ctx.executable.program, is_executable = True)
    return [DefaultInfo(executable = link, runfiles = ctx.attr.program[DefaultInfo].default_runfiles)]

generator = rule(
    implementation = _generator_impl,
    cfg = default_options,
    executable = True,
    attrs = TRANSITION_ATTRS | {
        "program": attr.label(allow_single_file = True, executable = True, cfg = "target", mandatory = True),
    },
)
