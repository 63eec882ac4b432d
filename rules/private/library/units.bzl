"""The selected sources: the units that compile them, and their objects; and the third-party libraries that they need."""

load("@bazel_skylib//rules:common_settings.bzl", "BuildSettingInfo")
load("@rules_cc//cc:defs.bzl", "cc_common")
load("//rules:providers.bzl", "TensorFlowInfo")
load("//rules/private/cc:copts.bzl", "LIBRARY_CONLYOPTS", "tensorflow_copts")
load("//rules/private/cc:objects.bzl", "compile")
load("//rules/private/outputs:declare.bzl", "declare_folder")
load("//rules/private/tensorflow:release.bzl", "TENSORFLOW_ATTRS")
load("//rules/private/tfcarve:run_tfcarve.bzl", "run_tfcarve")

visibility(["//rules/private/..."])

def units(ctx, cc, *, selected):
    """Compiles the selected sources: the sources in hot_sources.yaml for speed, all others for size.

    Args:
      ctx: of a rule with UNITS_ATTRS and `_tfcarve`.
      cc: from cc_tools.
      selected: TfSelectionInfo.

    Returns:
      struct: sources, a list of directories; unit_objects and helper_objects, lists of Files (helper_objects with the
      objects of libraries); contexts and hot_contexts, lists of CcCompilationContext that the two kinds of sources see;
      copts and hot_copts, the compiler's flags for the two kinds; options, the flags of the library's options.
    """
    tensorflow = ctx.attr._tensorflow[TensorFlowInfo]
    directories = _write(ctx, selected.selection, tensorflow)
    cold_options = ctx.attr._library_copts[BuildSettingInfo].value
    hot_options = ctx.attr._hot_copts[BuildSettingInfo].value
    cold_headers = tensorflow.precompiled_headers
    hot_headers = cold_headers if hot_options == cold_options else tensorflow.hot_precompiled_headers
    copts = tensorflow_copts(defines = tensorflow.defines, root = tensorflow.root)
    cold = _flags(ctx, copts, cold_headers.flags, cold_options)
    hot = _flags(ctx, copts, hot_headers.flags, hot_options)
    contexts = [
        cc_common.create_compilation_context(headers = selected.custom_ops),
        cold_headers.cc_info.compilation_context,
        tensorflow.unit_libraries.compilation_context,
        tensorflow.unit_sources.compilation_context,
    ]

    # Only sources that are compiled for speed wait for their precompiled header.
    hot_contexts = [hot_headers.cc_info.compilation_context] + contexts

    def objects(name, copts, contexts = contexts):
        return compile(
            cc,
            name = "%s/%s" % (ctx.label.name, name),
            srcs = [directories[name]],
            copts = copts,
            contexts = contexts,
        )

    return struct(
        sources = directories.values(),
        unit_objects = objects("units", cold.unit_copts) + objects("hot/units", hot.unit_copts, hot_contexts),
        helper_objects = objects("helpers", cold.copts) +
                         objects("hot/helpers", hot.copts, hot_contexts) +
                         objects("libraries", LIBRARY_CONLYOPTS + cold_options),
        contexts = contexts,
        hot_contexts = hot_contexts,
        copts = cold.copts,
        options = cold_options,
        hot_copts = hot.copts,
    )

def _write(ctx, selection, tensorflow):
    """Name -> directory of generated sources: units, and the helpers and libraries that they link."""
    directories = {
        name: declare_folder(ctx, name)
        for name in ["units", "helpers", "hot/units", "hot/helpers", "libraries"]
    }
    args = ctx.actions.args()
    args.add("units")
    args.add(selection)
    args.add("--index", tensorflow.index)

    # A selection made with other macros names classes that this compile never sees: tfcarve rejects it.
    args.add_all(tensorflow.defines, before_each = "--define")
    if tensorflow.target:
        args.add("--target", tensorflow.target)
    for name, directory in directories.items():
        args.add_all("--" + name.replace("/", "-"), [directory], expand_directories = False)
    run_tfcarve(
        ctx,
        args,
        inputs = [selection, tensorflow.index],
        outputs = directories.values(),
        mnemonic = "TfUnits",
        progress_message = "Writing the units of %{label}",
    )
    return directories

def _flags(ctx, common, headers, options):
    """The compiler's flags. The options come last, because per_file_copt does not apply to files of a directory."""
    copts = common + headers.copts + options
    logged = common + headers.plain_copts + ["-DTF_LOG_KERNEL_SOURCES"] + options
    logging = ctx.attr._log_kernel_sources[BuildSettingInfo].value
    return struct(copts = copts, unit_copts = logged if logging else copts)

UNITS_ATTRS = TENSORFLOW_ATTRS | {
    "_hot_copts": attr.label(default = "//rules/config:hot_copts"),
    "_library_copts": attr.label(default = "//rules/config:library_copts"),
    "_log_kernel_sources": attr.label(default = "//rules/config:log_kernel_sources"),
}
