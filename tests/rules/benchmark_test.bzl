"""Analysis tests of tf_model_benchmark."""

load("@bazel_skylib//lib:unittest.bzl", "analysistest", "asserts")

def _options_impl(ctx):
    env = analysistest.begin(ctx)
    writes = [a for a in analysistest.target_actions(env) if a.mnemonic == "FileWrite"]
    text = [a.content for a in writes if a.outputs.to_list()[0].basename == "speed_on_pi"][0]
    for part in [
        "/tfcarve' 'benchmark' 'tests/rules/library/benchmark_model' 'tests/rules/model.pb' ",
        " '--input=x=tests/rules/x.npy' '--input-random=y=float32:1x2' '--output=z' ",
        " '--runs=7' '--threads=2' '--traced-runs=5' '--warmup=1' \"$@\"",
    ]:
        asserts.true(env, part in text, "%s is not in %s" % (part, text))
    return analysistest.end(env)

benchmark_options_test = analysistest.make(_options_impl)

def _platform_impl(ctx):
    """The measured program is built for the platform, the tool that measures it for this machine."""
    env = analysistest.begin(ctx)
    files = analysistest.target_under_test(env)[DefaultInfo].default_runfiles.files.to_list()
    program = [f.path for f in files if f.basename == "benchmark_model"]
    asserts.equals(env, 1, len(program))
    tool = [f.path for f in files if f.basename == "tfcarve"]
    asserts.equals(env, 1, len(tool))
    asserts.true(env, program[0].split("/")[1] != tool[0].split("/")[1], "%s, %s" % (program[0], tool[0]))
    names = [f.basename for f in files]
    for name in ["model.pb", "x.npy"]:
        asserts.true(env, name in names, name)
    return analysistest.end(env)

benchmark_platform_test = analysistest.make(_platform_impl)
