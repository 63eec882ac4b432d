"""Analysis test: sources with their own optimization keep it, whatever the library's options are."""

load("@bazel_skylib//lib:unittest.bzl", "analysistest", "asserts")
load("//rules/private/config:canonical_config.bzl", "CANONICAL_CONFIG_ATTRS", "canonical_config")

_CommandsInfo = provider(
    doc = "The compile commands of a target's sources.",
    fields = {"commands": "dict[string, list[string]]: name of a source's object to the compiler's arguments."},
)

def _commands_impl(target, _ctx):
    return [_CommandsInfo(commands = {
        a.outputs.to_list()[0].basename.partition(".")[0]: a.argv
        for a in target.actions
        if a.mnemonic == "CppCompile"
    })]

_commands = aspect(implementation = _commands_impl)

compiled_for_a_library = rule(
    implementation = lambda ctx: [ctx.attr.sources[_CommandsInfo]],
    doc = "Sources in the configuration of a tf_mobile_library with the given options.",
    cfg = canonical_config,
    attrs = CANONICAL_CONFIG_ATTRS | {
        "sources": attr.label(aspects = [_commands]),
        "_allowlist_function_transition": attr.label(
            default = "@bazel_tools//tools/allowlists/function_transition_allowlist",
        ),
    },
)

def _own_optimization_impl(ctx):
    env = analysistest.begin(ctx)
    commands = analysistest.target_under_test(env)[_CommandsInfo].commands
    asserts.equals(env, {"other": "-O3", "product": "-O2"}, {
        name: [flag for flag in argv if flag.startswith("-O")][-1]
        for name, argv in commands.items()
    })
    for argv in commands.values():
        asserts.true(env, "-mcpu=cortex-a72" in argv, "the flag of the CPU is missing in %s" % argv)
    return analysistest.end(env)

own_optimization_test = analysistest.make(
    _own_optimization_impl,
    config_settings = {"//command_line_option:platforms": str(Label("//rules/platforms:linux_arm64"))},
)
