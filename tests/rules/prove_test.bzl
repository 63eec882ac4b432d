"""Analysis tests of the proof of a library and of tf_model_test."""

load("@bazel_skylib//lib:unittest.bzl", "analysistest", "asserts")

def _actions(env, mnemonic):
    return [a for a in analysistest.target_actions(env) if a.mnemonic == mnemonic]

def _validation(env):
    groups = analysistest.target_under_test(env)[OutputGroupInfo]
    names = [f.basename for f in groups._validation.to_list()]
    asserts.equals(env, names, [f.basename for f in groups.proof.to_list()])
    return names

def _proved_impl(ctx):
    env = analysistest.begin(ctx)
    asserts.equals(env, ["proof.json"], _validation(env))
    argv = _actions(env, "TfProve")[0].argv
    asserts.true(env, argv[2].endswith("/libtensorflow-core.so"), "%s is not the shared library" % argv[2])
    asserts.false(env, "--no-table" in _actions(env, "TfManifest")[0].argv, "the table is dropped")
    return analysistest.end(env)

proved_test = analysistest.make(_proved_impl)

def _cpu_is_proved_impl(ctx):
    env = analysistest.begin(ctx)
    argv = _actions(env, "TfProve")[0].argv
    asserts.equals(env, "armv7", argv[argv.index("--cpu") + 1])
    return analysistest.end(env)

cpu_is_proved_test = analysistest.make(
    _cpu_is_proved_impl,
    config_settings = {"//command_line_option:platforms": str(Label("//rules/platforms:linux_armv7"))},
)

def _without_table_impl(ctx):
    env = analysistest.begin(ctx)
    asserts.equals(env, [], _validation(env))
    asserts.equals(env, [], _actions(env, "TfProve"))
    asserts.true(env, "--no-table" in _actions(env, "TfManifest")[0].argv, "the table is dropped")
    return analysistest.end(env)

without_table_test = analysistest.make(_without_table_impl)

def _model_impl(ctx):
    env = analysistest.begin(ctx)
    text = [a for a in _actions(env, "FileWrite") if a.outputs.to_list()[0].basename == "on_pi"][0].content
    for part in [
        "'--input=x=tests/rules/x.npy' '--input=y=tests/rules/x.npy' '--expect=z=tests/rules/x.npy'",
        "'--tolerance=float32=1e-4'",
        "qemu-arm-static -cpu cortex-a7 -L /usr/arm-linux-gnueabihf",
    ]:
        asserts.true(env, part in text, "%s is not in %s" % (part, text))
    return analysistest.end(env)

model_test = analysistest.make(_model_impl)
