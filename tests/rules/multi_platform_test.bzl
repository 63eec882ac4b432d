"""Analysis tests of tf_multi_platform_library."""

load("@bazel_skylib//lib:unittest.bzl", "analysistest", "asserts")

_FILES = [
    "TensorFlowCoreConfig.cmake",
    "include",
    "include_cpp",
    "libtensorflow-core.a",
    "libtensorflow-core.so",
    "libtensorflow-registrations.a",
    "link_flags.txt",
    "proof.json",
    "selection.json",
    "tensorflow-core-shared.pc",
    "tensorflow-core.mk",
    "tensorflow-core.pc",
]

def _groups_impl(ctx):
    env = analysistest.begin(ctx)
    groups = analysistest.target_under_test(env)[OutputGroupInfo]
    for platform in ["linux_arm64", "linux_x86_64"]:
        files = getattr(groups, platform).to_list()
        asserts.equals(env, _FILES, sorted([f.basename for f in files]))
        files = getattr(groups, platform + "_programs").to_list()
        asserts.equals(env, ["run_model", "benchmark_model"], [f.basename for f in files])
    return analysistest.end(env)

groups_test = analysistest.make(_groups_impl)

def _own_folders_impl(ctx):
    """The platforms' outputs have different paths."""
    env = analysistest.begin(ctx)
    files = analysistest.target_under_test(env)[DefaultInfo].files.to_list()
    asserts.equals(env, 2 * len(_FILES), len({f.path: None for f in files}))
    for file in files:
        asserts.true(env, "/release/linux_" in file.path, file.path)
    return analysistest.end(env)

own_folders_test = analysistest.make(_own_folders_impl)

def _without_toolchain_impl(ctx):
    """Without an NDK, Android is skipped if that is permitted; a file in place of the library has the reason."""
    env = analysistest.begin(ctx)
    groups = analysistest.target_under_test(env)[OutputGroupInfo]
    asserts.equals(env, ["skipped.txt"], [f.basename for f in groups.android_arm64.to_list()])
    asserts.equals(env, _FILES, sorted([f.basename for f in groups.linux_x86_64.to_list()]))
    written = [a.content for a in analysistest.target_actions(env) if a.mnemonic == "FileWrite"]
    for part in ["android_arm64: no C++ toolchain: register the NDK's", "; ANDROID_NDK_HOME is "]:
        asserts.true(env, part in written[0], "%s is not in %s" % (part, written[0]))
    return analysistest.end(env)

_SKIPPED = {str(Label("//rules/config:skip_missing_platforms")): True}

without_toolchain_test = analysistest.make(_without_toolchain_impl, config_settings = _SKIPPED)

def _all_are_required_impl(ctx):
    env = analysistest.begin(ctx)
    asserts.expect_failure(env, "cannot be built for all of its platforms")
    asserts.expect_failure(env, "android_arm64: no C++ toolchain: register the NDK's")
    asserts.expect_failure(env, "With --@tfcarve//rules/config:skip_missing_platforms these are skipped.")
    return analysistest.end(env)

all_are_required_test = analysistest.make(_all_are_required_impl, expect_failure = True)

# With toolchains for all platforms, the flag has no effect.
none_is_missing_test = analysistest.make(_groups_impl, config_settings = _SKIPPED)
