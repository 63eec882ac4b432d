"""What tf_selection asks of the tool, seen at analysis."""

load("@bazel_skylib//lib:unittest.bzl", "analysistest", "asserts")

def _signatures_impl(ctx):
    env = analysistest.begin(ctx)
    argv = [a for a in analysistest.target_actions(env) if a.mnemonic == "TfSelect"][0].argv
    asked = [argv[i + 1] for i in range(len(argv)) if argv[i] == "--signature"]
    asserts.equals(env, ["encode", "decode"], asked)
    asserts.equals(env, "serve,cpu", argv[argv.index("--tags") + 1])
    return analysistest.end(env)

signatures_test = analysistest.make(_signatures_impl)

def _keras_is_refused_impl(ctx):
    env = analysistest.begin(ctx)
    asserts.expect_failure(env, "is a Keras file: make it the src of a tf_prepared_model")
    return analysistest.end(env)

keras_is_refused_test = analysistest.make(_keras_is_refused_impl, expect_failure = True)
