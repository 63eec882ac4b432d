"""What tf_multi_platform_library hands on, seen at analysis."""

load("@bazel_skylib//lib:unittest.bzl", "analysistest", "asserts")

_FILES = [
    "libtensorflow-core.a",
    "libtensorflow-core.so",
    "libtensorflow-registrations.a",
    "link_flags.txt",
    "selection.json",
]

def _groups_impl(ctx):
    env = analysistest.begin(ctx)
    groups = analysistest.target_under_test(env)[OutputGroupInfo]
    for platform in ["linux_arm64", "linux_x86_64"]:
        files = getattr(groups, platform).to_list()
        asserts.equals(env, _FILES, sorted([f.basename for f in files]))
        asserts.equals(env, ["run_model"], [f.basename for f in getattr(groups, platform + "_runner").to_list()])
    return analysistest.end(env)

groups_test = analysistest.make(_groups_impl)

def _own_folders_impl(ctx):
    """No platform's output has the path of another's."""
    env = analysistest.begin(ctx)
    files = analysistest.target_under_test(env)[DefaultInfo].files.to_list()
    asserts.equals(env, 2 * len(_FILES), len({f.path: None for f in files}))
    for file in files:
        asserts.true(env, "/release/linux_" in file.path, file.path)
    return analysistest.end(env)

own_folders_test = analysistest.make(_own_folders_impl)
