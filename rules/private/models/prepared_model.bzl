"""tf_prepared_model: transforms a model and compares it with its source."""

load("//rules/private/config:transitions.bzl", "model_config")
load("//rules/private/outputs:declare.bzl", "declare_named")
load("//rules/private/tfcarve:run_tfcarve.bzl", "run_tfcarve")
load(
    ":frozen_model.bzl",
    "FULL_TENSORFLOW_ATTRS",
    "SOURCE_ATTRS",
    "add_constants",
    "add_freeze_options",
    "add_op_libraries",
    "add_source",
    "freeze",
    "frozen_names",
    "names_tensors",
    "requires_freezing",
    "source_attrs",
    "source_files",
)

visibility("public")

# The presets of tools/tfcarve/prepare/presets.py; a test compares them.
PRESETS = ["int8", "mobile", "weights16", "weights8"]

# Presets that use the ranges that `tfcarve calibrate` measures.
_CALIBRATED = ["int8", "weights8"]
_DEFAULT_TOLERANCE = "1e-5"

# Presets whose outputs differ from the source's by more than that.
_INEXACT = ["int8", "weights16", "weights8"]

_DIGITS = "0123456789"

def _digits(text):
    return bool(text) and not [c for c in text.elems() if c not in _DIGITS]

def _is_number(text):
    """Whether a text is a number that is not negative: 0, 0.5, 1e-5."""
    mantissa, e, exponent = text.lower().partition("e")
    whole, dot, fraction = mantissa.partition(".")
    if not _digits(whole) or (dot and not _digits(fraction)):
        return False
    return not e or _digits(exponent[1:] if exponent[:1] in ["+", "-"] else exponent)

def _check(ctx):
    presets = ", ".join(PRESETS)
    if bool(ctx.attr.transforms) == bool(ctx.attr.preset):
        fail("{}: pass either transforms or a preset ({})".format(ctx.label, presets))
    if ctx.attr.preset and ctx.attr.preset not in PRESETS:
        fail("{}: unknown preset {}; known presets: {}".format(ctx.label, repr(ctx.attr.preset), presets))
    if not _is_number(ctx.attr.tolerance):
        message = "{}: tolerance {}: expected a number that is not negative, such as 1e-4"
        fail(message.format(ctx.label, repr(ctx.attr.tolerance)))
    if ctx.attr.preset in _INEXACT and not ctx.attr.has_tolerance:
        message = "{}: the preset {} changes outputs by more than the default tolerance of {}: pass tolerance, the difference that the " + \
                  "app accepts, such as \"0.02\""
        fail(message.format(ctx.label, ctx.attr.preset, _DEFAULT_TOLERANCE))
    if (ctx.file.ranges or ctx.files.calibration_data) and ctx.attr.preset not in _CALIBRATED:
        fail("{}: ranges and calibration_data require the preset {}".format(ctx.label, " or ".join(_CALIBRATED)))
    if ctx.file.ranges and ctx.files.calibration_data:
        fail("{}: pass either ranges or calibration_data, which are measured in the build".format(ctx.label))
    for node in ctx.attr.inputs + ctx.attr.outputs:
        if not node.strip() or "," in node:
            fail("{}: {} is not the name of a node".format(ctx.label, repr(node)))

def _graph(ctx):
    """The GraphDef that is transformed: src itself, or the frozen src; and the names of its inputs and outputs."""
    src = ctx.file.src
    inputs, outputs = ctx.attr.inputs, ctx.attr.outputs
    if names_tensors(ctx) and src.extension != "meta" and ctx.attr.signature:
        fail("{}: signature {}: {} is a GraphDef, which has no signatures: name inputs and outputs".format(
            ctx.label,
            repr(ctx.attr.signature),
            src.short_path,
        ))
    if not requires_freezing(ctx):
        return struct(file = src, inputs = inputs, outputs = outputs, has_constants = False)
    output = declare_named(ctx, ".frozen.pb")
    of_graph = names_tensors(ctx)
    freeze(ctx, output, inputs if of_graph else [], outputs if of_graph else [])
    return struct(
        file = output,
        inputs = frozen_names(ctx, inputs),
        outputs = frozen_names(ctx, outputs),
        has_constants = True,
    )

def _add_ends(ctx, args, graph):
    if not graph.has_constants:
        add_constants(ctx, args)
    args.add_joined("--inputs", graph.inputs, join_with = ",")
    args.add_joined("--outputs", graph.outputs, join_with = ",")

def _ranges(ctx, graph):
    """The file with the ranges that were measured for the preset: a list of one file, or none."""
    if not ctx.files.calibration_data:
        return [ctx.file.ranges] if ctx.file.ranges else []
    output = declare_named(ctx, ".ranges.json")
    args = ctx.actions.args()
    args.add("calibrate")
    args.add(graph.file)
    args.add("-o", output)
    args.add_all(ctx.files.calibration_data, before_each = "--data")
    args.add("--method", ctx.attr.calibration_method)
    _add_ends(ctx, args, graph)
    add_op_libraries(ctx, args)
    run_tfcarve(
        ctx,
        args,
        inputs = [graph.file] + ctx.files.calibration_data + ctx.files.op_libraries,
        outputs = [output],
        mnemonic = "TfCalibrate",
        progress_message = "Measuring the ranges of %{label}",
    )
    return [output]

def _transformed(ctx, graph):
    """Declares the action that transforms the model."""
    output = declare_named(ctx, ".pb")
    ranges = _ranges(ctx, graph)
    args = ctx.actions.args()
    args.add("transform")
    args.add(graph.file)
    args.add("-o", output)
    _add_ends(ctx, args, graph)
    add_op_libraries(ctx, args)
    if ctx.attr.preset:
        args.add("--preset", ctx.attr.preset)
        args.add_all(ranges, before_each = "--ranges")
    else:
        args.add("--transforms", ctx.attr.transforms)
    if ctx.attr.fuse:
        args.add("--fuse")
    run_tfcarve(
        ctx,
        args,
        inputs = [graph.file] + ranges + ctx.files.op_libraries,
        outputs = [output],
        mnemonic = "TfTransform",
        progress_message = "Preparing the model %{label}",
    )
    return output

def _compared(ctx, model):
    """Declares the validation action, which fails if the model's outputs differ from the outputs of src before src was frozen."""
    output = declare_named(ctx, ".compare.json")
    args = ctx.actions.args()
    args.add("compare")
    add_source(ctx, args)
    args.add(model)
    args.add("--tolerance", ctx.attr.tolerance)
    add_freeze_options(ctx, args, ctx.attr.inputs, ctx.attr.outputs)
    args.add_all(ctx.files.sample_inputs, before_each = "--data")
    args.add("--json")
    args.add("-o", output)
    run_tfcarve(
        ctx,
        args,
        inputs = source_files(ctx) + [model] + ctx.files.sample_inputs,
        outputs = [output],
        mnemonic = "TfCompare",
        progress_message = "Comparing %{label} with its source (--norun_validations skips it)",
    )
    return output

def _prepared_model_impl(ctx):
    _check(ctx)
    graph = _graph(ctx)
    model = _transformed(ctx, graph)
    compared = depset([_compared(ctx, model)])
    return [
        DefaultInfo(files = depset([model]), runfiles = ctx.runfiles(files = [model])),
        OutputGroupInfo(comparison = compared, _validation = compared),
    ]

_prepared_model = rule(
    implementation = _prepared_model_impl,
    cfg = model_config,
    attrs = SOURCE_ATTRS | FULL_TENSORFLOW_ATTRS | {
        "calibration_data": attr.label_list(allow_files = [".npz"]),
        "calibration_method": attr.string(
            default = "minmax",
            values = ["entropy", "minmax", "percentile"],
        ),
        "outputs": attr.string_list(),
        "fuse": attr.bool(),
        "has_tolerance": attr.bool(),
        "inputs": attr.string_list(),
        "preset": attr.string(),
        "ranges": attr.label(allow_single_file = [".json"]),
        "sample_inputs": attr.label(allow_single_file = [".npz"]),
        "tolerance": attr.string(mandatory = True),
        "transforms": attr.string(),
    },
)

def tf_prepared_model(
        name,
        src,
        signature = "",
        saved_model_tags = [],
        checkpoint = [],
        moving_averages = False,
        unroll = 0,
        custom_objects = None,
        op_libraries = [],
        constants = {},
        assertions = "keep",
        inputs = [],
        outputs = [],
        transforms = "",
        preset = "",
        ranges = None,
        calibration_data = [],
        calibration_method = "minmax",
        fuse = False,
        sample_inputs = None,
        tolerance = None,
        **kwargs):
    """Prepares a model for a device: all other rules take <name>.pb as a model.

    Builds that use it run src, as TensorFlow loads it, and the result on the samples in full TensorFlow, and fail with the first node that
    differs if an output exceeds the tolerance; --norun_validations skips that. The output group `comparison` has the
    report, <name>.compare.json. Needs CPython 3.11. Full TensorFlow is
    fetched the first time: a download of about 0.3 GB, and 1.3 GB in the user's cache.

    Args:
      name: of the target.
      src: a frozen GraphDef (.pb, .pbtxt, .pb.txt), or a src of tf_frozen_model, which is frozen first.
      signature: for a SavedModel, the signature whose inputs and outputs the model gets; default: serving_default. A GraphDef
        has none.
      saved_model_tags: for a SavedModel, the tags of the graph; default: "serve".
      checkpoint: for a GraphDef or MetaGraphDef, the files with its variables: PREFIX.index and all PREFIX.data-*. With it,
        inputs and outputs are tensors of src.
      moving_averages: whether to use the moving averages of variables that the checkpoint has.
      unroll: the largest number of iterations of a loop that is unrolled; 0: loops stay.
      custom_objects: for a Keras file, a Python file with the classes and functions that are not part of Keras. It is run.
      op_libraries: shared libraries with custom ops, built for the TensorFlow that runs the model (the release that is
        carved; for a Keras file, 2.21). TensorFlow loads them and runs their code.
      constants: values of Placeholders, or of inputs of the signature, by name: {"keep_prob": "1", "phase_train": "false"}.
        They become constants, and conditions that depend on them are replaced with the branch that runs.
      assertions: "keep", or "drop" for a graph without the model's assertions; with "drop", a GraphDef requires outputs. Presets
        remove assertions in any case.
      inputs: nodes that the app feeds; default: all Placeholders.
      outputs: nodes that the app fetches; default: nodes that no other node reads.
      transforms: names of transforms with their arguments, separated by spaces, which `tfcarve transform` applies in this order:
        "fold_constants remove_nodes(op=Identity)". Either transforms or preset.
      preset: name of a list of transforms for float models: "mobile"; "weights8" and "weights16", mobile with constants of 8 or
        16 bits; "int8", mobile with calculations in 8 bits.
      ranges: for int8 and weights8, the file of `tfcarve calibrate`, run on the file of src (or of tf_frozen_model). Default:
        int8 measures ranges whenever the model runs, which is slower and less precise; biases are not corrected.
      calibration_data: for int8 and weights8, .npz files like sample_inputs; the build calibrates the model with them.
      calibration_method: how the build chooses the ranges for int8: "minmax", "percentile" or "entropy".
      fuse: whether LSTM loops become one op, and convolutions, biases and activations TensorFlow's internal fused ops; with
        int8 only where they are not quantized.
      sample_inputs: an .npz file with an array for each input, by its name; an additional first dimension is for several
        samples. Default: random values.
      tolerance: allowed difference of floating-point numbers, a string such as "1e-4", times 1 + |expected|. Other
        types must be equal. Default: "1e-5"; the presets weights8, weights16 and int8 require one.
      **kwargs: common attributes.
    """
    _prepared_model(
        name = name,
        signature = signature,
        saved_model_tags = saved_model_tags,
        checkpoint = checkpoint,
        moving_averages = moving_averages,
        unroll = unroll,
        custom_objects = custom_objects,
        op_libraries = op_libraries,
        constants = constants,
        assertions = assertions,
        inputs = inputs,
        outputs = outputs,
        transforms = transforms,
        preset = preset,
        ranges = ranges,
        calibration_data = calibration_data,
        calibration_method = calibration_method,
        fuse = fuse,
        sample_inputs = sample_inputs,
        has_tolerance = tolerance != None,
        tolerance = _DEFAULT_TOLERANCE if tolerance == None else tolerance,
        **(source_attrs(src) | kwargs)
    )
