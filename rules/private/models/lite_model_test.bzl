"""tf_model_test of a TensorFlow Lite model: it runs in the interpreter of a package, with a Flex delegate."""

load("@bazel_skylib//lib:shell.bzl", "shell")

visibility(["//rules/private/..."])

_EXTENSION = "tflite"

# The only platform that the interpreter's package is pinned and tested for.
_PLATFORM = "linux_x86_64"

# The program is fetched with the package only for targets that name it: see lite_runner.
LITE_ATTRS = {
    "lite_runner": attr.label(executable = True, cfg = "exec"),
    "_lite_constraints": attr.label_list(
        default = ["@platforms//cpu:x86_64", "@platforms//os:linux"],
        providers = [platform_common.ConstraintValueInfo],
    ),
}

def is_lite(model):
    """Whether a label names a TensorFlow Lite model.

    Args:
      model: a label, or a string.

    Returns:
      a bool.
    """
    return str(model).endswith("." + _EXTENSION)

def lite_runner(name, platform, saved_model_tags):
    """The value of the attribute lite_runner for a TensorFlow Lite model.

    Args:
      name: of the target.
      platform: its name, or None for the platform of the build.
      saved_model_tags: the attribute of the test, which must be empty.

    Returns:
      a label.
    """
    if saved_model_tags:
        fail("tf_model_test %s: saved_model_tags require the directory of a SavedModel; a TensorFlow Lite model has none" % name)
    if platform and platform != _PLATFORM:
        fail("tf_model_test %s: a TensorFlow Lite model runs only on %s, not on %s" % (name, _PLATFORM, platform))
    return Label("//tools:run_lite_model")

def runs_lite(ctx, library):
    """Whether the model is a TensorFlow Lite model.

    Fails if the library cannot run the model, or if its interpreter does not run on the platform.

    Args:
      ctx: of a rule with LITE_ATTRS, `model`, `library` and `platform`.
      library: the TfMobileLibraryInfo.

    Returns:
      a bool.
    """
    model = ctx.file.model
    lite = model.extension == _EXTENSION
    if lite and not library.flex:
        fail("{}: {} is a TensorFlow Lite model: use a tf_flex_delegate as the library; {} is another library".format(
            ctx.label,
            model.short_path,
            ctx.attr.library[0].label,
        ))
    if library.flex and not lite:
        fail("{}: the Flex delegate {} runs only TensorFlow Lite models (.tflite), not {}".format(
            ctx.label,
            ctx.attr.library[0].label,
            model.short_path,
        ))
    if not lite:
        return False
    if not ctx.attr.lite_runner:
        fail("{}: {} is a TensorFlow Lite model: name it by the label of the file, which ends in .tflite".format(ctx.label, model.short_path))
    constraints = [target[platform_common.ConstraintValueInfo] for target in ctx.attr._lite_constraints]
    if not ctx.attr.platform and not all([ctx.target_platform_has_constraint(c) for c in constraints]):
        fail("{}: a TensorFlow Lite model runs only on {}: build for it, or add platform = \"{}\"".format(ctx.label, _PLATFORM, _PLATFORM))
    return True

def lite_command(ctx, library, bindings):
    """The command of the test, for a shell whose working directory is the runfiles' folder of the main repository.

    Args:
      ctx: of a rule with LITE_ATTRS, `model`, `library` and `platform`.
      library: TfMobileLibraryInfo of a Flex delegate.
      bindings: list of strings, the options that name inputs, outputs and tolerances.

    Returns:
      struct of `command`, a string, and `runfiles`.
    """
    delegate = library.shared_library
    words = [ctx.file.model.short_path, "--delegate=" + delegate.short_path]
    if ctx.attr.signature:
        words.append("--signature=" + ctx.attr.signature)
    runner = ctx.executable.lite_runner

    # By its absolute path, through which the program finds its runfiles.
    command = ['"$PWD"/' + shell.quote(runner.short_path)] + [shell.quote(word) for word in words + bindings]
    return struct(
        command = " ".join(command),
        runfiles = ctx.runfiles(files = [delegate, runner]).merge(ctx.attr.lite_runner[DefaultInfo].default_runfiles),
    )
