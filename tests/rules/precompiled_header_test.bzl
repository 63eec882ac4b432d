"""Analysis tests of the precompiled header, for each compiler."""

load("@bazel_skylib//lib:unittest.bzl", "analysistest", "asserts")
load(":compile_commands.bzl", "compile_commands")
load(":minimum_os_version_test.bzl", "toolchain_settings")

def _included(expected):
    def impl(ctx):
        env = analysistest.begin(ctx)
        argv = [a for a in analysistest.target_actions(env) if a.mnemonic == "CppCompile"][0].argv
        _require_included(env, argv, expected)
        return analysistest.end(env)

    return impl

def _require_included(env, argv, expected):
    headers = [flag for flag in argv if "tensorflow_headers.h" in flag]
    asserts.equals(env, 1, len(headers))
    asserts.true(env, headers[0].endswith(expected[-1]), "%s does not end with %s" % (headers[0], expected[-1]))
    before = argv[:argv.index(headers[0])][1 - len(expected):]
    asserts.equals(env, expected[:-1], before)

def _hot_and_cold(flags, ending):
    """Hot units include another precompiled header than the others."""

    def impl(ctx):
        env = analysistest.begin(ctx)
        commands = compile_commands(env)
        _require_included(env, commands["hot units"], flags + ["hot/tensorflow_headers.h" + ending])
        _require_included(env, commands["units"], flags + ["tensorflow_headers.h" + ending])
        asserts.false(env, "hot/tensorflow_headers.h" in " ".join(commands["units"]), "the others include it, too")
        return analysistest.end(env)

    return impl

hot_clang_test = analysistest.make(
    _hot_and_cold(["-isysroot", ".", "-include-pch"], ".pch"),
    config_settings = toolchain_settings("android_26"),
)

hot_apple_clang_test = analysistest.make(
    _hot_and_cold(["-include"], ""),
    config_settings = toolchain_settings("ios_sdk"),
)

hot_gcc_test = analysistest.make(_hot_and_cold(["-include"], ""))

def _hot_flags_impl(ctx):
    """The header is compiled with the flags of the sources that include it."""
    env = analysistest.begin(ctx)
    (action,) = [a for a in analysistest.target_actions(env) if a.mnemonic == "TfPrecompiledHeader"]
    flags = [flag for flag in action.argv if flag.startswith(("-O", "-march="))]
    asserts.equals(env, ["-O3", "-march=x86-64-v3"], flags[-2:])
    return analysistest.end(env)

hot_flags_test = analysistest.make(
    _hot_flags_impl,
    config_settings = {str(Label("//rules/config:hot_copts")): ["-O3", "-march=x86-64-v3"]},
)

clang_test = analysistest.make(
    _included(["-isysroot", ".", "-include-pch", "/tensorflow_headers.h.pch"]),
    config_settings = toolchain_settings("android_26"),
)

# The toolchain's own -isysroot must remain.
apple_clang_test = analysistest.make(
    _included(["-include", "tensorflow_headers.h"]),
    config_settings = toolchain_settings("ios_sdk"),
)

gcc_test = analysistest.make(_included(["-include", "tensorflow_headers.h"]))
