"""tf_selection: the ops, kernels and sources that models need."""

load("//rules:providers.bzl", "TensorFlowInfo", "TfSelectionInfo")
load("//rules/private/models:frozen_model.bzl", "frozen", "saved_model_files", "saved_model_folder", "saved_model_path")
load("//rules/private/models:model_files.bzl", "KERAS_EXTENSIONS")
load("//rules/private/outputs:declare.bzl", "declare")
load("//rules/private/tensorflow:release.bzl", "TENSORFLOW_ATTRS")
load("//rules/private/tfcarve:run_tfcarve.bzl", "TFCARVE_ATTRS", "run_tfcarve", "system_tool")

visibility("public")

def _tf_selection_impl(ctx):
    _check_models(ctx)
    tensorflow = ctx.attr._tensorflow[TensorFlowInfo]
    selection = declare(ctx, "selection.json")
    header = declare(ctx, "ops_to_register.h")
    op_files = declare(ctx, "tf_op_files.txt")
    custom_sources = [f for f in ctx.files.custom_ops if f.extension in _SOURCE_EXTENSIONS]

    args = ctx.actions.args()
    args.add("select")
    args.add_all(ctx.files.models, expand_directories = False)
    args.add_all([saved_model_path(ctx, folder) for folder in ctx.attr.saved_models])
    args.add_all(ctx.attr.signatures, before_each = "--signature")
    args.add_joined("--tags", ctx.attr.saved_model_tags, join_with = ",")
    args.add("--index", tensorflow.index)
    args.add_all(custom_sources, before_each = "--custom-op")
    inputs = ctx.files.models + ctx.files.saved_model_files + ctx.files.custom_ops + [tensorflow.index]
    trees = []
    if custom_sources:
        # Sources of custom ops use TensorFlow's macros.
        args.add("--tensorflow", tensorflow.root)
        trees = [tensorflow.sources]
        if tensorflow.target:
            args.add("--target", tensorflow.target)
            args.add("--target-macros", tensorflow.target_macros)
            inputs.append(tensorflow.target_macros)
    if ctx.attr.flex:
        args.add("--flex-delegate")
    else:
        args.add("--runtime", ctx.attr.runtime)
    if ctx.file.config:
        args.add("--config", ctx.file.config)
        inputs.append(ctx.file.config)
    args.add("-o", selection)
    run_tfcarve(
        ctx,
        args,
        inputs = depset(inputs, transitive = trees),
        outputs = [selection],
        mnemonic = "TfSelect",
        progress_message = "Selecting the kernels that %{label} needs",
        # Its preprocessor reads custom ops.
        system_tools = {"CXX": ctx.files._cxx},
    )
    for command, output in [("header", header), ("op-files", op_files)]:
        args = ctx.actions.args()
        args.add(command)
        args.add(selection)
        args.add("-o", output)
        run_tfcarve(
            ctx,
            args,
            inputs = [selection],
            outputs = [output],
            mnemonic = "TfEmit",
            progress_message = "Writing %s" % output.basename,
        )

    return [
        DefaultInfo(files = depset([selection, header, op_files])),
        TfSelectionInfo(
            selection = selection,
            header = header,
            op_files = op_files,
            custom_ops = depset(ctx.files.custom_ops),
            session = not ctx.attr.flex and ctx.attr.runtime == "session",
        ),
    ]

def _check_models(ctx):
    """Fails if a model needs full TensorFlow, which only tf_frozen_model and tf_prepared_model run."""
    for file in ctx.files.models:
        if file.extension in KERAS_EXTENSIONS:
            fail("{}: {} is a Keras file: make it the src of a tf_frozen_model and pass that target".format(
                ctx.label,
                file.short_path,
            ))
        if file.is_source and not file.extension:
            message = "{}: {} is not a model: pass a file with an extension, the directory of a SavedModel in this package, or " + \
                      "a tf_frozen_model of a SavedModel in another package"
            fail(message.format(ctx.label, file.short_path))
        if file.is_directory and ctx.attr.freeze:
            message = "{}: {} is a directory that another rule creates: make it the src of a tf_frozen_model and pass " + \
                      "that target, or set freeze = False to select for the SavedModel without freezing it"
            fail(message.format(ctx.label, file.short_path))

_SOURCE_EXTENSIONS = ["cc", "cpp", "cxx"]

_selection = rule(
    implementation = _tf_selection_impl,
    attrs = TENSORFLOW_ATTRS | TFCARVE_ATTRS | {
        "config": attr.label(allow_single_file = [".yaml", ".yml"]),
        "custom_ops": attr.label_list(allow_files = ["." + e for e in _SOURCE_EXTENSIONS + ["h", "hpp", "inc"]]),
        "flex": attr.bool(),
        "freeze": attr.bool(),
        "models": attr.label_list(allow_files = True),
        "runtime": attr.string(values = ["auto", "plan", "session"]),
        "saved_model_files": attr.label_list(allow_files = True),
        "saved_model_tags": attr.string_list(),
        "saved_models": attr.string_list(),
        "signatures": attr.string_list(),
        "_cxx": system_tool("cxx"),
    },
)

def tf_selection(
        name,
        models,
        custom_ops = [],
        config = None,
        signatures = [],
        saved_model_tags = [],
        freeze = True,
        flex = False,
        runtime = "auto",
        **kwargs):
    """Selects the ops, kernels and sources that models need.

    Outputs selection.json, ops_to_register.h and tf_op_files.txt.

    Args:
      name: of the target; the target that freezes the first model, if it must be frozen, is <name>_model0.
      models: model files, or targets that create them: frozen GraphDef .pb, or .pbtxt or .pb.txt; SavedModel directory; Keras
        file; .tflite with Flex ops; ops list .json or .yaml.
      custom_ops: C++ sources (and their headers) of ops and kernels that are not TensorFlow's.
      config: YAML file with ops that no model shows.
      signatures: for SavedModels, the signatures that the library must run. Empty: serving_default, or the whole
        graph if it is not frozen.
      saved_model_tags: for SavedModels, the graphs with all of these tags. Empty: "serve", or all graphs if they are not
        frozen.
      freeze: whether SavedModels are frozen, with tf_frozen_model's default options. Freezing needs full TensorFlow. If
        not, they are read without changes, with all ops that save and restore variables: for a library that trains.
      flex: whether it is for a tf_flex_delegate, which runs no graph.
      runtime: what runs graphs. "plan": kernels are called in an order that is planned when a model is loaded; "session":
        TensorFlow's session, for an app that calls TensorFlow's C++ interface, or for models that a plan cannot run;
        "auto": a plan if it can run the models. selection.json says which one it is and why.
      **kwargs: common attributes.
    """
    saved_models = []
    if type(models) == "list":
        if not models:
            fail("tf_selection %s: models is empty" % name)
        if freeze:
            models = [
                made
                for i, model in enumerate(models)
                for made in frozen("%s_model%d" % (name, i), model, signatures, saved_model_tags, **kwargs)
            ]
        else:
            folders = [saved_model_folder(model) for model in models]
            saved_models = [folder for folder in folders if folder]
            models = [model for model, folder in zip(models, folders) if not folder]
    _selection(
        name = name,
        models = models,
        custom_ops = custom_ops,
        config = config,
        signatures = [] if freeze else signatures,
        saved_model_tags = [] if freeze else saved_model_tags,
        flex = flex,
        freeze = freeze,
        runtime = runtime,
        saved_models = saved_models,
        saved_model_files = [file for folder in saved_models for file in saved_model_files(folder)],
        **kwargs
    )
