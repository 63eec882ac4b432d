"""Analysis tests of tf_python_wheel and tf_golden_sample."""

load("@bazel_skylib//lib:unittest.bzl", "analysistest", "asserts")
load(":argv.bzl", "argv", "own")

def _wheel_impl(ctx):
    env = analysistest.begin(ctx)
    asserts.equals(
        env,
        ["wheel", "tests/rules/library/libtensorflow-core.so", "--model", "tests/rules/model.pb"] +
        ["--name", "my_models", "--version", "1.2", "-o", "tests/rules/wheel/linux_x86_64"],
        [own(word) for word in argv(env, "TfWheel")],
    )
    files = analysistest.target_under_test(env)[DefaultInfo].files.to_list()
    asserts.equals(env, ["tests/rules/wheel/linux_x86_64"], [f.short_path for f in files])
    proofs = analysistest.target_under_test(env)[OutputGroupInfo]._validation.to_list()
    asserts.equals(env, ["proof.json"], [f.basename for f in proofs])
    return analysistest.end(env)

wheel_test = analysistest.make(_wheel_impl)

def _sample_impl(ctx):
    env = analysistest.begin(ctx)
    asserts.equals(
        env,
        ["golden", "tests/rules/model.pb", "--sample", "tests/rules/golden/sample", "--data", "tests/rules/x.npz"],
        [own(word) for word in argv(env, "TfGolden")],
    )
    return analysistest.end(env)

golden_sample_test = analysistest.make(_sample_impl)
