"""What tf_size_test runs, seen at analysis."""

load("@bazel_skylib//lib:unittest.bzl", "analysistest", "asserts")

def _launcher(env, name):
    actions = analysistest.target_actions(env)
    written = [a for a in actions if a.outputs.to_list()[0].basename == name]
    asserts.equals(env, 1, len(written))
    return written[0].content

def _runs_size_check_impl(ctx):
    env = analysistest.begin(ctx)
    command = _launcher(env, "size")
    for words in ["size-check", "--growth '1'", "--warning '2'", "size.budgets.json"]:
        asserts.true(env, words in command, "%s is missing in %s" % (words, command))
    for platform in ["linux_arm64", "linux_x86_64"]:
        report = "'tests/size/size.%s.json'" % platform
        asserts.equals(env, 1, command.count(report), "a report a platform, each of its own name")
    asserts.false(env, "--update" in command)
    asserts.false(env, "--committed" in command, "there is no such file in this package")
    return analysistest.end(env)

runs_size_check_test = analysistest.make(_runs_size_check_impl)

def _updates_the_committed_file_impl(ctx):
    env = analysistest.begin(ctx)
    command = _launcher(env, "size.update")
    words = "--update --committed \"$BUILD_WORKSPACE_DIRECTORY\"/'tests/size/sizes.json'"
    asserts.true(env, words in command, "%s is missing in %s" % (words, command))
    return analysistest.end(env)

updates_the_committed_file_test = analysistest.make(_updates_the_committed_file_impl)

def _comments_impl(ctx):
    env = analysistest.begin(ctx)
    command = _launcher(env, "size.comment")
    asserts.true(env, "size-comment --new '" in command, command)
    asserts.true(env, "'tests/size/size.comment.linux_arm64.json'" in command, command)
    return analysistest.end(env)

comments_test = analysistest.make(_comments_impl)
