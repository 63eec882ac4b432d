"""tf_frozen_model: SavedModels and Keras files become frozen GraphDefs."""

load("//rules/private/config:transitions.bzl", "TRANSITION_ATTRS", "model_config")
load("//rules/private/outputs:declare.bzl", "declare_named")
load("//rules/private/tfcarve:run_tfcarve.bzl", "run_tfcarve")
load(":model_files.bzl", "KERAS_EXTENSIONS", "TEXT_EXTENSIONS")

visibility("public")

def _tool(environment):
    return Label("//tools:tfcarve_with_" + environment)

# For rules with SOURCE_ATTRS that run full TensorFlow. Only they fetch its wheels.
FULL_TENSORFLOW_ATTRS = TRANSITION_ATTRS | {
    "_tfcarve": attr.label(default = _tool, executable = True, cfg = "exec"),
}

# The model: `src`, or `saved_model`, the folder of a SavedModel with all its files. With a label of the folder, Bazel would not
# notice when a file changes. `environment` has the TensorFlow that reads it.
SOURCE_ATTRS = {
    "assertions": attr.string(default = "keep", values = ["drop", "keep"]),
    "checkpoint": attr.label_list(allow_files = True),
    "constants": attr.string_dict(),
    "custom_objects": attr.label(allow_single_file = [".py"]),
    "environment": attr.string(mandatory = True, values = ["keras", "tensorflow"]),
    "moving_averages": attr.bool(),
    # The machine that runs the actions loads them.
    "op_libraries": attr.label_list(allow_files = [".dylib", ".so"], cfg = "exec"),
    "saved_model": attr.string(),
    "saved_model_files": attr.label_list(allow_files = True),
    "saved_model_tags": attr.string_list(),
    "signature": attr.string(),
    "src": attr.label(allow_single_file = True),
    "unroll": attr.int(),
}

# The extensions of models whose inputs and outputs are tensors of the graph, and which may have a checkpoint.
_GRAPH_EXTENSIONS = (".pb", ".meta") + TEXT_EXTENSIONS

def saved_model_folder(model):
    """The folder, relative to the calling package, of the SavedModel that a label names.

    Args:
      model: label of a model.

    Returns:
      None if it is not a SavedModel of this package.
    """
    if type(model) != "string":
        return None
    folder = model.removeprefix(":")
    if not folder or folder[0] in "/@:" or [c for c in "*?[".elems() if c in folder]:
        return None
    marks = [folder + "/saved_model.pb", folder + "/saved_model.pbtxt"]
    return folder if native.glob(marks, allow_empty = True) else None

def saved_model_files(folder):
    """The files of a SavedModel, for the attribute saved_model_files.

    Args:
      folder: from saved_model_folder.

    Returns:
      list of labels.
    """
    return native.glob([folder + "/**"])

def saved_model_path(ctx, folder):
    """The path of a SavedModel for an action.

    Args:
      ctx: of a rule in its package.
      folder: from saved_model_folder.

    Returns:
      a string.
    """
    return "/".join([part for part in [ctx.label.workspace_root, ctx.label.package, folder] if part])

def source_attrs(src):
    """The values of SOURCE_ATTRS for a model.

    Args:
      src: label of a model.

    Returns:
      dict, attribute to value.
    """
    folder = saved_model_folder(src)
    if folder:
        return {
            "environment": "tensorflow",
            "saved_model": folder,
            "saved_model_files": saved_model_files(folder),
        }

    # Keras files need a TensorFlow with Keras 3; for other models it is the release that is carved.
    return {"environment": "keras" if _is_keras(str(src)) else "tensorflow", "src": src}

def names_tensors(ctx):
    """Whether inputs and outputs are tensors of src: a GraphDef or MetaGraphDef.

    Args:
      ctx: of a rule with SOURCE_ATTRS.

    Returns:
      a bool.
    """
    src = ctx.file.src
    return bool(src) and not src.is_directory and src.basename.endswith(_GRAPH_EXTENSIONS)

def requires_freezing(ctx):
    """Whether a model is frozen before it is transformed.

    Args:
      ctx: of a rule with SOURCE_ATTRS.

    Returns:
      a bool.
    """
    changes = ctx.attr.checkpoint or ctx.attr.moving_averages or ctx.attr.unroll or ctx.attr.assertions == "drop"
    return not names_tensors(ctx) or ctx.file.src.extension == "meta" or bool(changes)

def frozen_names(ctx, tensors):
    """The names of tensors of src in the frozen model.

    Args:
      ctx: of a rule with SOURCE_ATTRS whose model is frozen.
      tensors: list of strings: tensors ("x", "decoded:1"), or inputs or outputs of the signature.

    Returns:
      list of strings.
    """
    if not names_tensors(ctx):
        return tensors  # they have the names of the signature
    return [tensor.removesuffix(":0").replace(":", "_") for tensor in tensors]

def _checkpoint_prefix(ctx):
    """The prefix of the checkpoint's files: PREFIX.index and PREFIX.data-*, or one file of format V1."""
    files = ctx.files.checkpoint
    prefixes = [f.path.removesuffix(".index") for f in files if f.path.endswith(".index")]
    if not prefixes and len(files) == 1:
        prefixes = [files[0].path]
    if len(prefixes) != 1:
        fail("{}: checkpoint: pass the files of one checkpoint: PREFIX.index and all PREFIX.data-*".format(ctx.label))
    return prefixes[0]

def source_files(ctx):
    """The files of a model and its checkpoint, and the code with which TensorFlow reads them.

    Args:
      ctx: of a rule with SOURCE_ATTRS.

    Returns:
      list of Files.
    """
    return ctx.files.src + ctx.files.saved_model_files + ctx.files.checkpoint + ctx.files.custom_objects + ctx.files.op_libraries

def add_source(ctx, args):
    """Adds the model to a command line.

    Args:
      ctx: of a rule with SOURCE_ATTRS.
      args: the Args.
    """
    if ctx.attr.saved_model:
        args.add(saved_model_path(ctx, ctx.attr.saved_model))
    else:
        args.add_all([ctx.file.src], expand_directories = False)

def add_constants(ctx, args):
    """Adds the values of Placeholders to a command line.

    Args:
      ctx: of a rule with SOURCE_ATTRS.
      args: the Args.
    """
    for name, value in sorted(ctx.attr.constants.items()):
        if not name.strip() or not value.strip() or "=" in name:
            message = "{}: constants: {}: expected a Placeholder's name and a value, such as {{\"keep_prob\": \"1\"}}"
            fail(message.format(ctx.label, repr({name: value})))
        args.add("--constant", "%s=%s" % (name, value))

def add_op_libraries(ctx, args):
    """Adds the libraries that full TensorFlow loads to a command line.

    Args:
      ctx: of a rule with SOURCE_ATTRS; the files of its attribute op_libraries must be inputs of the action.
      args: the Args.
    """
    args.add_all(ctx.files.op_libraries, before_each = "--op-library")

def add_freeze_options(ctx, args, inputs, outputs):
    """Adds the options that say how a model is frozen to a command line.

    Args:
      ctx: of a rule with SOURCE_ATTRS.
      args: the Args.
      inputs: list of strings: tensors of a GraphDef or MetaGraphDef; empty for the signature's or all Placeholders.
      outputs: list of strings: tensors of a GraphDef or MetaGraphDef; empty for the signature's.
    """
    if ctx.attr.signature:
        args.add("--signature", ctx.attr.signature)
    args.add_joined("--tags", ctx.attr.saved_model_tags, join_with = ",")
    args.add_joined("--inputs", inputs, join_with = ",")
    args.add_joined("--outputs", outputs, join_with = ",")
    if ctx.attr.checkpoint:
        args.add("--checkpoint", _checkpoint_prefix(ctx))
    if ctx.attr.moving_averages:
        args.add("--moving-averages")
    if ctx.attr.unroll:
        args.add("--unroll", ctx.attr.unroll)
    if ctx.file.custom_objects:
        args.add("--custom-objects", ctx.file.custom_objects)
    if ctx.attr.assertions == "drop":
        args.add("--assertions", "drop")
    add_op_libraries(ctx, args)
    add_constants(ctx, args)

def freeze(ctx, output, inputs, outputs):
    """Declares the action that freezes a model.

    Args:
      ctx: of a rule with SOURCE_ATTRS and FULL_TENSORFLOW_ATTRS.
      output: File, the GraphDef.
      inputs: list of strings: tensors of a GraphDef or MetaGraphDef; empty for the signature's or all Placeholders.
      outputs: list of strings: tensors of a GraphDef or MetaGraphDef; empty for the signature's.
    """
    if not ctx.attr.saved_model:
        _check_source(ctx, outputs)
    args = ctx.actions.args()
    args.add("freeze")
    add_source(ctx, args)
    args.add("-o", output)
    add_freeze_options(ctx, args, inputs, outputs)
    run_tfcarve(
        ctx,
        args,
        inputs = source_files(ctx),
        outputs = [output],
        mnemonic = "TfFreeze",
        progress_message = "Freezing the model of %{label}",
    )

def _check_source(ctx, outputs):
    """Fails if src is neither a graph, a Keras file nor a directory that another rule created."""
    src = ctx.file.src
    if names_tensors(ctx):
        if src.extension != "meta" and not outputs:
            fail("{}: {} is a GraphDef, which does not name its outputs: pass outputs".format(ctx.label, src.short_path))
        return
    if not src.is_directory and src.extension not in KERAS_EXTENSIONS:
        message = "{}: {} is not a model: pass a GraphDef (.pb, .pbtxt, .pb.txt), the directory of a SavedModel in the same package " + \
                  "or a Keras file ({})"
        extensions = ", ".join(["." + extension for extension in KERAS_EXTENSIONS])
        fail(message.format(ctx.label, src.short_path, extensions))

def _frozen_model_impl(ctx):
    output = declare_named(ctx, ".pb")
    freeze(ctx, output, ctx.attr.inputs, ctx.attr.outputs)
    return [DefaultInfo(files = depset([output]), runfiles = ctx.runfiles(files = [output]))]

_frozen_model = rule(
    implementation = _frozen_model_impl,
    cfg = model_config,
    attrs = SOURCE_ATTRS | FULL_TENSORFLOW_ATTRS | {
        "outputs": attr.string_list(),
        "inputs": attr.string_list(),
    },
)

def tf_frozen_model(
        name,
        src,
        signature = "",
        saved_model_tags = [],
        inputs = [],
        outputs = [],
        checkpoint = [],
        moving_averages = False,
        unroll = 0,
        custom_objects = None,
        op_libraries = [],
        constants = {},
        assertions = "keep",
        **kwargs):
    """Freezes a model as `tfcarve freeze` does: <name>.pb is a GraphDef for all other rules.

    Other rules freeze Keras files and SavedModels of their own package themselves. Needs CPython 3.11. Full TensorFlow
    is fetched the first time: a download of about 0.3 GB, and 1.3 GB in the user's cache. Keras files have a TensorFlow
    of their own, with Keras 3 and Keras 2.

    Args:
      name: of the target.
      src: the directory of a SavedModel in this package, a directory that another rule creates, a Keras file (.keras,
        .h5), or a GraphDef (.pb, .pbtxt, .pb.txt) or MetaGraphDef (.meta).
      signature: for a SavedModel, the signature whose inputs and outputs the model gets; default: serving_default.
      saved_model_tags: for a SavedModel, the tags of the graph; default: "serve".
      inputs: tensors that become Placeholders ("x", "decoded:1"); default: the signature's inputs, or all Placeholders.
      outputs: tensors that the model computes; a GraphDef requires them. Default: the signature's outputs.
      checkpoint: for a GraphDef or MetaGraphDef, the files with its variables: PREFIX.index and all PREFIX.data-*.
      moving_averages: whether to use the moving averages of variables that the checkpoint has.
      unroll: the largest number of iterations of a loop that is unrolled; 0: loops stay.
      custom_objects: for a Keras file, a Python file with the classes and functions that are not part of Keras. It is run.
      op_libraries: shared libraries with custom ops, built for the TensorFlow that runs the model (the release that is
        carved; for a Keras file, 2.21). TensorFlow loads them and runs their code.
      constants: values of Placeholders, or of inputs of the signature, by name: {"keep_prob": "1", "phase_train": "false"}.
        They become constants, and conditions that depend on them are replaced with the branch that runs.
      assertions: "keep", or "drop" for a graph without the model's assertions.
      **kwargs: common attributes.
    """
    _frozen_model(
        name = name,
        signature = signature,
        saved_model_tags = saved_model_tags,
        inputs = inputs,
        outputs = outputs,
        checkpoint = checkpoint,
        moving_averages = moving_averages,
        unroll = unroll,
        custom_objects = custom_objects,
        op_libraries = op_libraries,
        constants = constants,
        assertions = assertions,
        **(source_attrs(src) | kwargs)
    )

def _is_keras(model):
    return model.rpartition(".")[2] in KERAS_EXTENSIONS

# The attributes of a rule that its targets that freeze models get too. Others do not apply: models are for all platforms.
_PASSED_ON = ["tags", "testonly", "visibility"]

def frozen(name, model, signatures, saved_model_tags, **kwargs):
    """Declares targets that freeze a model, if it must be frozen.

    Args:
      name: prefix of the names of these targets.
      model: label of a model.
      signatures: for a SavedModel, the signatures that it is frozen for, one target each; default: serving_default.
      saved_model_tags: for a SavedModel, the tags of the graph; empty: "serve".
      **kwargs: attributes of the target that uses the model.

    Returns:
      list of labels: of the model itself, or of the targets.
    """
    if type(model) != "string":
        return [model]
    if _is_keras(model):
        signatures, saved_model_tags = [], []
    elif not saved_model_folder(model):
        return [model]
    names = {"%s_%s" % (name, signature): signature for signature in signatures} or {name: ""}
    passed_on = {key: kwargs[key] for key in _PASSED_ON if key in kwargs}
    for frozen_name, signature in names.items():
        tf_frozen_model(
            name = frozen_name,
            src = model,
            signature = signature,
            saved_model_tags = saved_model_tags,
            **passed_on
        )
    return [":" + frozen_name for frozen_name in names]

def frozen_to_run(name, model, signature, saved_model_tags, **kwargs):
    """The label of the model that a program runs: the model itself, or a target that freezes it.

    Args:
      name: of the target that runs it.
      model: label of a model.
      signature: for a SavedModel; "" for serving_default.
      saved_model_tags: for a SavedModel, the tags of the graph; empty: "serve".
      **kwargs: attributes of the target that runs it.

    Returns:
      a label.
    """
    if (signature or saved_model_tags) and not saved_model_folder(model):
        fail("%s: signature and saved_model_tags require the directory of a SavedModel in this package; %s is not one" % (name, model))
    made = frozen(name + "_model", model, [signature] if signature else [], saved_model_tags, **kwargs)
    return made[0]
