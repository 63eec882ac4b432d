"""Analysis tests of tf_model_test with a TensorFlow Lite model."""

load("@bazel_skylib//lib:unittest.bzl", "analysistest", "asserts")
load("//rules:defs.bzl", "tf_model_test")

def _runs_in_the_interpreter_impl(ctx):
    env = analysistest.begin(ctx)
    writes = [a for a in analysistest.target_actions(env) if a.mnemonic == "FileWrite"]
    text = [a.content for a in writes if a.outputs.to_list()[0].basename == "lite"][0]
    for part in [
        "set -- \"$PWD\"/",
        "/run_lite_model' 'tests/rules/model.tflite' '--delegate=tests/rules/flex/libtensorflowlite_flex.so' '--signature=encode' ",
        "'--input=x=tests/rules/x.npy' '--expect=z=tests/rules/x.npy' '--tolerance=float32=1e-4' \"$@\"",
    ]:
        asserts.true(env, part in text, "%s is not in %s" % (part, text))
    asserts.false(env, "qemu" in text, text)
    files = analysistest.target_under_test(env)[DefaultInfo].default_runfiles.files.to_list()
    names = [f.basename for f in files]
    for name in ["libtensorflowlite_flex.so", "model.tflite", "run_lite_model", "run_lite_model.py", "x.npy"]:
        asserts.true(env, name in names, name)
    return analysistest.end(env)

_X86_64 = {"//command_line_option:platforms": str(Label("//rules/platforms:linux_x86_64"))}

runs_in_the_interpreter_test = analysistest.make(_runs_in_the_interpreter_impl, config_settings = _X86_64)

def _refused(message, platform = "linux_x86_64"):
    def impl(ctx):
        env = analysistest.begin(ctx)
        asserts.expect_failure(env, message)
        return analysistest.end(env)

    return analysistest.make(
        impl,
        config_settings = {"//command_line_option:platforms": str(Label("//rules/platforms:" + platform))},
        expect_failure = True,
    )

another_library_test = _refused("tests/rules/model.tflite is a TensorFlow Lite model: use a tf_flex_delegate as the library")
another_model_test = _refused("runs only TensorFlow Lite models (.tflite), not tests/rules/model.pb")
without_extension_test = _refused("name it by the label of the file, which ends in .tflite")
another_platform_test = _refused(
    "a TensorFlow Lite model runs only on linux_x86_64: build for it, or add platform = \"linux_x86_64\"",
    platform = "linux_arm64",
)

_REFUSED = {
    "another_library": (another_library_test, ":library", "model.tflite"),
    "another_model": (another_model_test, ":flex", "model.pb"),
    "another_platform": (another_platform_test, ":flex", "model.tflite"),
    "without_extension": (without_extension_test, ":flex", ":lite_file"),
}

def lite_models(name):
    """A tf_model_test that runs, and those that are refused, with their tests.

    Args:
      name: of the tf_model_test that runs.
    """
    tf_model_test(
        name = name,
        goldens = {"z": "x.npy"},
        inputs = {"x": "x.npy"},
        library = ":flex",
        model = "model.tflite",
        platform = "linux_x86_64",
        signature = "encode",
        tags = ["manual"],
        tolerance = {"float32": "1e-4"},
    )
    runs_in_the_interpreter_test(
        name = "runs_in_the_interpreter_test",
        target_under_test = name,
    )
    for what, (test, library, model) in _REFUSED.items():
        tf_model_test(
            name = what + "_lite",
            goldens = {"z": "x.npy"},
            library = library,
            model = model,
            tags = ["manual"],
        )
        test(
            name = what + "_test",
            target_under_test = what + "_lite",
        )
