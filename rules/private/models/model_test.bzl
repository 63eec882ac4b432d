"""tf_model_test: runs a model in a carved library and compares its outputs with goldens."""

load("@bazel_skylib//lib:shell.bzl", "shell")
load("//rules:providers.bzl", "TfMobileLibraryInfo")
load("//rules/platforms:table.bzl", "PLATFORMS")
load("//rules/private/config:transitions.bzl", "TRANSITION_ATTRS", "of_platform")
load("//rules/private/outputs:declare.bzl", "declare_named")
load(":frozen_model.bzl", "frozen_to_run")
load(":lite_model_test.bzl", "LITE_ATTRS", "is_lite", "lite_command", "lite_runner", "runs_lite")
load(":model_run.bzl", "bound", "by_file", "check_platform", "require_binary")

visibility("public")

# The name that `uname -m` prints on a machine that runs a CPU's programs itself, and the emulator that runs them on other
# machines. Debian's qemu-user-static has all these emulators.
_MACHINES = {
    "aarch64": struct(name = "aarch64", emulator = ["qemu-aarch64-static"]),
    # The CPU of a Raspberry Pi 2: all later models run its programs, too.
    "armv7": struct(name = "armv7l", emulator = ["qemu-arm-static", "-cpu", "cortex-a7"]),
    "x86_64": struct(name = "x86_64", emulator = ["qemu-x86_64-static"]),
}

# `bazel test` and `bazel run` start it in the runfiles' folder of the main repository.
_LAUNCHER = """\
#!/bin/sh
set -- {command} "$@"
"""
_EMULATED = """\
if [ "$(uname -m)" != {machine} ]; then
    if ! command -v {program} >/dev/null; then
        echo {program} is not on PATH: it runs this test. Try: sudo apt-get install qemu-user-static >&2
        exit 2
    fi
    set -- {emulator} "$@"
fi
"""

def _emulated(platform):
    """The launcher's lines for a platform that this machine may not be."""
    row = PLATFORMS[platform]
    machine = _MACHINES[row.cpu]
    return _EMULATED.format(
        emulator = " ".join(machine.emulator + ["-L", "/usr/" + row.triple]),
        machine = machine.name,
        program = machine.emulator[0],
    )

def _command(ctx, library, bindings):
    """The command that runs the model in a carved library, and its files, as lite_command."""
    words = [library.runner.short_path, ctx.file.model.short_path] + bindings
    return struct(
        command = " ".join([shell.quote(word) for word in words]),
        runfiles = ctx.runfiles(files = [library.runner]),
    )

def _model_test_impl(ctx):
    require_binary(ctx.label, ctx.file.model)
    library = ctx.attr.library[0][TfMobileLibraryInfo]
    lite = runs_lite(ctx, library)
    bindings = bound("--input", ctx.attr.inputs) + bound("--expect", ctx.attr.goldens)
    bindings += ["--tolerance=%s=%s" % item for item in ctx.attr.tolerance.items()]
    run = (lite_command if lite else _command)(ctx, library, bindings)
    launcher = declare_named(ctx)
    text = _LAUNCHER.format(command = run.command)
    if ctx.attr.platform and not lite:
        text += _emulated(ctx.attr.platform)
    ctx.actions.write(launcher, text + 'exec "$@"\n', is_executable = True)
    files = ctx.runfiles(files = [ctx.file.model] + ctx.files.inputs + ctx.files.goldens)
    return [DefaultInfo(executable = launcher, runfiles = files.merge(run.runfiles))]

_model_test = rule(
    implementation = _model_test_impl,
    test = True,
    attrs = TRANSITION_ATTRS | LITE_ATTRS | {
        "goldens": attr.label_keyed_string_dict(allow_files = [".npy"], mandatory = True, allow_empty = False),
        "inputs": attr.label_keyed_string_dict(allow_files = [".npy"]),
        "library": attr.label(cfg = of_platform, mandatory = True, providers = [TfMobileLibraryInfo]),
        "model": attr.label(allow_single_file = True, mandatory = True),
        "platform": attr.string(),
        "signature": attr.string(),
        "tolerance": attr.string_dict(),
    },
)

def tf_model_test(
        name,
        library,
        model,
        goldens,
        inputs = {},
        platform = None,
        tolerance = {},
        signature = "",
        saved_model_tags = [],
        **kwargs):
    """Runs a model in a carved library and compares its outputs.

    A TensorFlow Lite model runs in the interpreter of the Python package ai-edge-litert with a carved Flex delegate. That needs
    CPython 3.11 and a build for Linux on x86-64; the package is fetched the first time.

    The test fails if the library lacks ops or kernels that the model needs, and lists them all; and if an output does not
    have the expected type and shape, or differs from the expected values by more than the tolerance.

    Args:
      name: of the test.
      library: a tf_mobile_library; for a .tflite, a tf_flex_delegate.
      model: a frozen GraphDef in its binary format, or the directory of a SavedModel or a Keras file, which is frozen first; or
        the label of a .tflite file.
      goldens: dict, output node to the .npy file with the expected value; `tfcarve golden` creates such files with full
        TensorFlow. Of a .tflite, the names are outputs of its signature, or output tensors if it has no signatures.
      inputs: dict, input node to the .npy file with its value. Of a .tflite, the inputs of its signature, or input tensors.
      platform: from //rules/platforms; qemu runs programs for other machines. Default: the platform of the build.
      tolerance: dict, "float16", "float32" or "float64" to the allowed difference, a string such as "1e-4", times
        1 + |expected|. Defaults: 1e-2, 1e-5 and 1e-9. Other types must be equal.
      signature: for a SavedModel, the signature that it is frozen for; default: serving_default. For a .tflite, the signature that is
        run; default: serving_default, or the only one.
      saved_model_tags: for a SavedModel, the tags of its graph; default: "serve".
      **kwargs: common attributes of tests.
    """
    check_platform("tf_model_test", name, platform)
    unknown = [t for t in tolerance if t not in ["float16", "float32", "float64"]]
    if unknown:
        fail("tf_model_test %s: unknown type %s in tolerance; known types: float16, float32, float64" % (name, unknown[0]))
    lite = is_lite(model)
    _model_test(
        name = name,
        library = library,
        lite_runner = lite_runner(name, platform, saved_model_tags) if lite else None,
        model = model if lite else frozen_to_run(name, model, signature, saved_model_tags, **kwargs),
        signature = signature if lite else "",
        inputs = by_file(inputs),
        goldens = by_file(goldens),
        platform = platform or "",
        tolerance = tolerance,
        **kwargs
    )
