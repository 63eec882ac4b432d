"""How a source includes TensorFlow's headers, by compiler."""

load("@bazel_skylib//lib:unittest.bzl", "analysistest", "asserts")
load(":oldest_system_test.bzl", "toolchain_settings")

def _included(expected):
    def impl(ctx):
        env = analysistest.begin(ctx)
        argv = [a for a in analysistest.target_actions(env) if a.mnemonic == "CppCompile"][0].argv
        headers = [flag for flag in argv if "tensorflow_headers.h" in flag]
        asserts.equals(env, 1, len(headers))
        asserts.true(env, headers[0].endswith(expected[-1]), "%s is no %s" % (headers[0], expected[-1]))
        before = argv[:argv.index(headers[0])][1 - len(expected):]
        asserts.equals(env, expected[:-1], before)
        return analysistest.end(env)

    return impl

clang_test = analysistest.make(
    _included(["-isysroot", ".", "-include-pch", "/tensorflow_headers.h.pch"]),
    config_settings = toolchain_settings("android_26"),
)

# Its own -isysroot must stand.
apple_clang_test = analysistest.make(
    _included(["-include", "tensorflow_headers.h"]),
    config_settings = toolchain_settings("ios_sdk"),
)

gcc_test = analysistest.make(_included(["-include", "tensorflow_headers.h"]))
