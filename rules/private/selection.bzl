"""tf_selection: what a set of models needs of TensorFlow."""

load("//rules:providers.bzl", "TfSelectionInfo")
load(":model_files.bzl", "KERAS_EXTENSIONS")

visibility("public")

def _tf_selection_impl(ctx):
    _refuse_keras(ctx)
    selection = ctx.actions.declare_file(ctx.label.name + "/selection.json")
    header = ctx.actions.declare_file(ctx.label.name + "/ops_to_register.h")
    op_files = ctx.actions.declare_file(ctx.label.name + "/tf_op_files.txt")
    custom_sources = [f for f in ctx.files.custom_ops if f.extension in _SOURCE_EXTENSIONS]

    args = ctx.actions.args()
    args.add("select")
    args.add_all(ctx.files.models, expand_directories = False)
    args.add_all(ctx.attr.signatures, before_each = "--signature")
    args.add_joined("--tags", ctx.attr.saved_model_tags, join_with = ",")
    args.add("--index", ctx.file._index)
    args.add_all(custom_sources, before_each = "--custom-op")
    inputs = ctx.files.models + ctx.files.custom_ops + [ctx.file._index]
    if custom_sources:
        # The macros in a custom op's source are TensorFlow's.
        args.add("--tensorflow", ctx.file._tree_marker.path.removesuffix("/tensorflow/core/public/version.h"))
        inputs = inputs + ctx.files._tree
    if ctx.file.config:
        args.add("--config", ctx.file.config)
        inputs.append(ctx.file.config)
    args.add("-o", selection)
    _run(ctx, args, inputs, selection, "TfSelect", "Selecting the kernels that %{label} needs")
    for command, output in [("header", header), ("op-files", op_files)]:
        args = ctx.actions.args()
        args.add(command)
        args.add(selection)
        args.add("-o", output)
        _run(ctx, args, [selection], output, "TfEmit", "Writing %s" % output.basename)

    return [
        DefaultInfo(files = depset([selection, header, op_files])),
        TfSelectionInfo(
            selection = selection,
            header = header,
            op_files = op_files,
            custom_ops = depset(ctx.files.custom_ops),
        ),
    ]

def _run(ctx, args, inputs, output, mnemonic, progress_message):
    ctx.actions.run(
        executable = ctx.executable._tfcarve,
        arguments = [args],
        inputs = inputs,
        outputs = [output],
        mnemonic = mnemonic,
        progress_message = progress_message,
        use_default_shell_env = True,
    )

def _refuse_keras(ctx):
    """Only tf_prepared_model has full TensorFlow, which reads Keras files."""
    for file in ctx.files.models:
        if file.extension in KERAS_EXTENSIONS:
            fail("{}: {} is a Keras file: make it the src of a tf_prepared_model and give that".format(
                ctx.label,
                file.short_path,
            ))

_SOURCE_EXTENSIONS = ["cc", "cpp", "cxx"]

tf_selection = rule(
    implementation = _tf_selection_impl,
    doc = "Reads models and selects the ops, kernels and sources that they need. " +
          "Outputs selection.json, ops_to_register.h and tf_op_files.txt.",
    attrs = {
        "models": attr.label_list(
            doc = "Model files, or targets that make them: frozen GraphDef .pb or .pbtxt, " +
                  "SavedModel directory, .tflite with Flex ops, ops list .json or .yaml.",
            allow_files = True,
            mandatory = True,
            allow_empty = False,
        ),
        "signatures": attr.string_list(
            doc = "Of SavedModels, what these signatures need and nothing else: of each model those " +
                  "of them that it has, at least one. Empty: all of the graph.",
        ),
        "saved_model_tags": attr.string_list(
            doc = "Of SavedModels, the graphs with all of these tags. Empty: all graphs.",
        ),
        "custom_ops": attr.label_list(
            doc = "C++ sources (and their headers) of ops and kernels that are not TensorFlow's.",
            allow_files = ["." + e for e in _SOURCE_EXTENSIONS + ["h", "hpp", "inc"]],
        ),
        "config": attr.label(
            doc = "YAML file with what no model tells.",
            allow_single_file = [".yaml", ".yml"],
        ),
        "_index": attr.label(
            default = "@tfcarve_tensorflow//:index",
            allow_single_file = True,
            # One index for all platforms.
            cfg = "exec",
        ),
        "_tree": attr.label(default = "@tfcarve_tensorflow//:sources"),
        "_tree_marker": attr.label(
            default = "@tfcarve_tensorflow//:tensorflow/core/public/version.h",
            allow_single_file = True,
        ),
        "_tfcarve": attr.label(
            default = "//tools:tfcarve",
            executable = True,
            cfg = "exec",
        ),
    },
)
