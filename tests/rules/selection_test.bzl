"""Analysis tests of tf_selection."""

load("@bazel_skylib//lib:unittest.bzl", "analysistest", "asserts")
load(":argv.bzl", "argv", "own")

def _signatures_impl(ctx):
    env = analysistest.begin(ctx)
    words = argv(env, "TfSelect")
    signatures = [words[i + 1] for i in range(len(words)) if words[i] == "--signature"]
    asserts.equals(env, ["encode", "decode"], signatures)
    asserts.equals(env, "serve,cpu", words[words.index("--tags") + 1])
    return analysistest.end(env)

signatures_test = analysistest.make(_signatures_impl)

def _keras_is_frozen_impl(ctx):
    env = analysistest.begin(ctx)
    asserts.true(env, "tests/rules/of_keras_model0.pb" in [own(word) for word in argv(env, "TfSelect")])
    return analysistest.end(env)

keras_is_frozen_test = analysistest.make(_keras_is_frozen_impl)

def _frozen_model_impl(ctx):
    env = analysistest.begin(ctx)
    asserts.equals(
        env,
        ["freeze", "tests/rules/model.keras", "-o", "tests/rules/of_keras_model0.pb"],
        [own(word) for word in argv(env, "TfFreeze")],
    )
    return analysistest.end(env)

frozen_model_test = analysistest.make(_frozen_model_impl)

def _keras_is_refused_impl(ctx):
    env = analysistest.begin(ctx)
    asserts.expect_failure(env, "is a Keras file: make it the src of a tf_frozen_model")
    return analysistest.end(env)

keras_is_refused_test = analysistest.make(_keras_is_refused_impl, expect_failure = True)
