"""tf_model_benchmark: measures a model in a carved library."""

load("@bazel_skylib//lib:shell.bzl", "shell")
load("//rules:providers.bzl", "TfMobileLibraryInfo")
load("//rules/private/config:transitions.bzl", "TRANSITION_ATTRS", "of_platform")
load("//rules/private/outputs:declare.bzl", "declare_named")
load("//rules/private/tfcarve:run_tfcarve.bzl", "ALL_COMMANDS_ATTRS")
load(":frozen_model.bzl", "frozen_to_run")
load(":model_run.bzl", "bound", "by_file", "check_node", "check_platform", "require_binary")

visibility("public")

# `bazel run` starts it in the runfiles folder of the main repository. tfcarve is called by its absolute path, through which it
# finds its runfiles.
_LAUNCHER = """\
#!/bin/sh
exec "$PWD"/{tfcarve} {words} "$@"
"""

def _model_benchmark_impl(ctx):
    require_binary(ctx.label, ctx.file.model)
    library = ctx.attr.library[0][TfMobileLibraryInfo]
    words = ["benchmark", library.benchmark.short_path, ctx.file.model.short_path]
    words += bound("--input", ctx.attr.inputs)
    words += ["--input-random=%s=%s" % item for item in ctx.attr.random_inputs.items()]
    words += ["--output=" + node for node in ctx.attr.outputs]
    words += [
        "--%s=%d" % (name.replace("_", "-"), getattr(ctx.attr, name))
        for name in ["runs", "threads", "traced_runs", "warmup"]
    ]
    launcher = declare_named(ctx)
    ctx.actions.write(
        launcher,
        _LAUNCHER.format(
            tfcarve = shell.quote(ctx.executable._tfcarve.short_path),
            words = " ".join([shell.quote(word) for word in words]),
        ),
        is_executable = True,
    )
    files = [library.benchmark, ctx.file.model, ctx.executable._tfcarve] + ctx.files.inputs
    return [DefaultInfo(
        executable = launcher,
        runfiles = ctx.runfiles(files = files).merge(ctx.attr._tfcarve[DefaultInfo].default_runfiles),
    )]

_model_benchmark = rule(
    implementation = _model_benchmark_impl,
    executable = True,
    attrs = TRANSITION_ATTRS | ALL_COMMANDS_ATTRS | {
        "outputs": attr.string_list(),
        "inputs": attr.label_keyed_string_dict(allow_files = [".npy"]),
        "library": attr.label(cfg = of_platform, mandatory = True, providers = [TfMobileLibraryInfo]),
        "model": attr.label(allow_single_file = True, mandatory = True),
        "platform": attr.string(),
        "random_inputs": attr.string_dict(),
        "runs": attr.int(),
        "threads": attr.int(),
        "traced_runs": attr.int(),
        "warmup": attr.int(),
    },
)

def tf_model_benchmark(
        name,
        library,
        model,
        inputs = {},
        random_inputs = {},
        outputs = [],
        platform = None,
        threads = 1,
        warmup = 1,
        runs = 20,
        traced_runs = 5,
        signature = "",
        saved_model_tags = [],
        **kwargs):
    """Measures a model in a carved library: `bazel run` prints its time and memory, and the share of each op type.

    For the platform of another machine, qemu counts instructions instead of time. Arguments after `--` are passed to
    `tfcarve benchmark` after these options: `bazel run -c opt //:speed -- --runs=100 --html "$PWD/speed.html"`.

    Args:
      name: of the target.
      library: a tf_mobile_library.
      model: a frozen GraphDef in its binary format, or the directory of a SavedModel or a Keras file, which is frozen first.
      inputs: dict, input node to the .npy file with its value.
      random_inputs: dict, input node to the type and shape of random numbers, for example "float32:1x224x224x3".
        Inputs that are in neither dict get random numbers of their own type and shape.
      outputs: nodes to compute; default: all nodes that no other node reads.
      platform: from //rules/platforms; default: the platform of the build.
      threads: number of threads; 0: one for each core.
      warmup: runs after the first run that are not counted.
      runs: runs that are counted.
      traced_runs: further runs that time each node.
      signature: for a SavedModel, the signature that it is frozen for; default: serving_default.
      saved_model_tags: for a SavedModel, the tags of its graph; default: "serve".
      **kwargs: common attributes of executable rules.
    """
    check_platform("tf_model_benchmark", name, platform)
    for node in random_inputs:
        check_node(node)
    for what, value, most in [("threads", threads, 1024), ("warmup", warmup, 1000000), ("runs", runs, 1000000), ("traced_runs", traced_runs, 1000000)]:
        if value < 0 or value > most:
            fail("tf_model_benchmark %s: %s: expected a number from 0 to %d, got %d" % (name, what, most, value))
    _model_benchmark(
        name = name,
        library = library,
        model = frozen_to_run(name, model, signature, saved_model_tags, **kwargs),
        inputs = by_file(inputs),
        random_inputs = random_inputs,
        outputs = outputs,
        platform = platform or "",
        threads = threads,
        warmup = warmup,
        runs = runs,
        traced_runs = traced_runs,
        **kwargs
    )
