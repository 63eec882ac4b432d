"""Analysis test of programs that generate sources: they are built once for all options."""

load("@bazel_skylib//lib:unittest.bzl", "asserts", "unittest")

_OPTIONS = {
    str(Label("//rules/config:hot_copts")): ["-O3"],
    str(Label("//rules/config:library_copts")): ["-O2"],
    str(Label("//rules/config:log_messages")): False,
    str(Label("//rules/config:protos")): "full",
}

_with_options = transition(
    implementation = lambda _settings, _attr: _OPTIONS,
    inputs = [],
    outputs = _OPTIONS.keys(),
)

def _path(target):
    return target[DefaultInfo].files_to_run.executable.path

def _built_once_impl(ctx):
    env = unittest.begin(ctx)
    asserts.equals(env, _path(ctx.attr.generator), _path(ctx.attr.for_options[0]))
    asserts.false(env, _path(ctx.attr.program) == _path(ctx.attr.program_for_options[0]), "the options have no effect")
    return unittest.end(env)

built_once_test = unittest.make(
    _built_once_impl,
    attrs = {
        "for_options": attr.label(default = "//third_party/protobuf:protoc", cfg = _with_options),
        "generator": attr.label(default = "//third_party/protobuf:protoc"),
        "program": attr.label(default = "@tfcarve_protobuf//:protoc"),
        "program_for_options": attr.label(default = "@tfcarve_protobuf//:protoc", cfg = _with_options),
        "_allowlist_function_transition": attr.label(
            default = "@bazel_tools//tools/allowlists/function_transition_allowlist",
        ),
    },
)
