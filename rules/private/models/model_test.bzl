"""tf_model_test: runs a model in a carved library and compares its outputs with goldens."""

load("@bazel_skylib//lib:shell.bzl", "shell")
load("//rules:providers.bzl", "TfMobileLibraryInfo")
load("//rules/platforms:table.bzl", "PLATFORMS")
load("//rules/private/config:transitions.bzl", "TRANSITION_ATTRS")
load(":frozen_model.bzl", "frozen_to_run")
load(":model_run.bzl", "bound", "by_file", "check_platform", "of_platform")

visibility("public")

# How `uname -m` calls a machine that runs a CPU's programs itself, and what runs them elsewhere:
# Debian's qemu-user-static has all of these.
_MACHINES = {
    "aarch64": struct(name = "aarch64", emulator = ["qemu-aarch64-static"]),
    # The CPU of a Raspberry Pi 2: what runs there runs on all later ones.
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

def _model_test_impl(ctx):
    runner = ctx.attr.library[0][TfMobileLibraryInfo].runner
    words = [runner.short_path, ctx.file.model.short_path]
    words += bound("--input", ctx.attr.inputs) + bound("--expect", ctx.attr.goldens)
    words += ["--tolerance=%s=%s" % item for item in ctx.attr.tolerance.items()]
    launcher = ctx.actions.declare_file(ctx.label.name)
    text = _LAUNCHER.format(command = " ".join([shell.quote(word) for word in words]))
    if ctx.attr.platform:
        text += _emulated(ctx.attr.platform)
    ctx.actions.write(launcher, text + 'exec "$@"\n', is_executable = True)
    files = [runner, ctx.file.model] + ctx.files.inputs + ctx.files.goldens
    return [DefaultInfo(executable = launcher, runfiles = ctx.runfiles(files = files))]

_model_test = rule(
    implementation = _model_test_impl,
    test = True,
    attrs = TRANSITION_ATTRS | {
        "goldens": attr.label_keyed_string_dict(allow_files = [".npy"], mandatory = True, allow_empty = False),
        "inputs": attr.label_keyed_string_dict(allow_files = [".npy"]),
        "library": attr.label(cfg = of_platform, mandatory = True, providers = [TfMobileLibraryInfo]),
        "model": attr.label(allow_single_file = True, mandatory = True),
        "platform": attr.string(),
        "tolerance": attr.string_dict(),
    },
)

def tf_model_test(name, library, model, goldens, inputs = {}, platform = None, tolerance = {}, signature = "", saved_model_tags = [], **kwargs):
    """Runs a model in a carved library and compares its outputs.

    It fails if the library lacks ops or kernels that the model needs, and lists them all; and if an output does not
    have the expected type and shape, or differs from the expected values by more than the tolerance.

    Args:
      name: of the test.
      library: a tf_mobile_library.
      model: a frozen GraphDef, or the directory of a SavedModel or a Keras file, which is frozen first.
      goldens: dict, output node to the .npy file with the expected value; `tfcarve golden` creates such files with full
        TensorFlow.
      inputs: dict, input node to the .npy file with its value.
      platform: from //rules/platforms; qemu runs programs for other machines. Default: the platform of the build.
      tolerance: dict, "float16", "float32" or "float64" to the allowed difference, a string such as "1e-4": absolute,
        and relative for numbers above 1. Defaults: 1e-2, 1e-5 and 1e-9. Other types must be equal.
      signature: for a SavedModel, the signature that it is frozen for; default: serving_default.
      saved_model_tags: for a SavedModel, the tags of its graph; default: "serve".
      **kwargs: common attributes of tests.
    """
    check_platform("tf_model_test", name, platform)
    unknown = [t for t in tolerance if t not in ["float16", "float32", "float64"]]
    if unknown:
        fail("tf_model_test %s: unknown type %s in tolerance; known types: float16, float32, float64" % (name, unknown[0]))
    _model_test(
        name = name,
        library = library,
        model = frozen_to_run(name, model, signature, saved_model_tags, **kwargs),
        inputs = by_file(inputs),
        goldens = by_file(goldens),
        platform = platform or "",
        tolerance = tolerance,
        **kwargs
    )
