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

def _own(path):
    """A path without the folder of its configuration."""
    return path.partition("/bin/")[2] or path

def _argv(env, mnemonic):
    return [_own(word) for word in [a for a in analysistest.target_actions(env) if a.mnemonic == mnemonic][0].argv]

def _keras_is_frozen_impl(ctx):
    env = analysistest.begin(ctx)
    asserts.true(env, "tests/rules/of_keras_model0.pb" in _argv(env, "TfSelect"))
    return analysistest.end(env)

keras_is_frozen_test = analysistest.make(_keras_is_frozen_impl)

def _frozen_model_impl(ctx):
    env = analysistest.begin(ctx)
    asserts.equals(
        env,
        ["freeze", "tests/rules/model.keras", "-o", "tests/rules/of_keras_model0.pb"],
        _argv(env, "TfFreeze")[1:],
    )
    return analysistest.end(env)

frozen_model_test = analysistest.make(_frozen_model_impl)

def _keras_is_refused_impl(ctx):
    env = analysistest.begin(ctx)
    asserts.expect_failure(env, "is a Keras file: make it the src of a tf_frozen_model")
    return analysistest.end(env)

keras_is_refused_test = analysistest.make(_keras_is_refused_impl, expect_failure = True)
