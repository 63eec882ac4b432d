"""tf_model_test: a model run in a carved library, its outputs held against what they should be."""

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

    It fails where the library lacks what the model needs, with all of that, and where an output is not
    of the type and shape or, within the tolerance, of the values that are expected.

    Args:
      name: of the test.
      library: a tf_mobile_library.
      model: a frozen GraphDef; or a SavedModel's directory or a Keras file, which is frozen first.
      goldens: dict of an output's node to the .npy file with what it must give; `tfcarve golden` makes
        such files by full TensorFlow.
      inputs: dict of an input's node to the .npy file that it is fed.
      platform: of //rules/platforms; another machine's programs are run by qemu. Else the build's own.
      tolerance: dict of "float16", "float32" or "float64" to by how much such numbers may differ,
        absolutely or, above 1, relative to the number: a string like "1e-4". Else 1e-2, 1e-5 and 1e-9.
        Other types must be the same.
      signature: of a SavedModel, what it is frozen for; else serving_default.
      saved_model_tags: of a SavedModel, those of its graph; else "serve".
      **kwargs: attributes that every test has.
    """
    check_platform("tf_model_test", name, platform)
    unknown = [t for t in tolerance if t not in ["float16", "float32", "float64"]]
    if unknown:
        fail("tf_model_test %s: no tolerance of %s: there are float16, float32 and float64" % (name, unknown[0]))
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
