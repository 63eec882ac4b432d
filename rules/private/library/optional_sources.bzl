"""The optional sources of the runtime: a library compiles the sources that its objects refer to."""

load("//rules:providers.bzl", "TensorFlowInfo")
load("//rules/private/cc:copts.bzl", "LIBRARY_COPTS")
load("//rules/private/cc:objects.bzl", "compile")
load("//rules/private/outputs:declare.bzl", "declare_folder")
load("//rules/private/tfcarve:run_tfcarve.bzl", "run_tfcarve")

visibility(["//rules/private/..."])

def optional_sources(ctx, cc, *, selection, objects, shared, compiled):
    """Compiles the optional sources that a library needs.

    Args:
      ctx: of a rule with UNITS_ATTRS and `_tfcarve`.
      cc: from cc_tools.
      selection: File, selection.json.
      objects: list of Files, or of directories of objects: all others of the library.
      shared: list of the parts of the runtime whose objects are among the objects: "environment", "session", "shape-functions",
        "str-format".
      compiled: from units, with the flags of the library.

    Returns:
      struct(sources, objects): lists of Files, directories.
    """
    directories = {name: declare_folder(ctx, name) for name in ["optional", "optional_third_party"]}
    args = ctx.actions.args()
    args.add("optional-sources")
    args.add(selection)
    args.add_all(shared, before_each = "--shared")
    if cc.toolchain.nm_executable:
        args.add("--nm", cc.toolchain.nm_executable)
    args.add_all("--sources", [directories["optional"]], expand_directories = False)
    args.add_all("--third-party", [directories["optional_third_party"]], expand_directories = False)
    args.add("--objects")
    args.add_all(objects)
    run_tfcarve(
        ctx,
        args,
        inputs = depset(objects + [selection], transitive = [cc.toolchain.all_files]),
        outputs = directories.values(),
        mnemonic = "TfOptionalSources",
        progress_message = "Searching the optional sources of %{label}",
    )

    tensorflow = ctx.attr._tensorflow[TensorFlowInfo]

    def compiled_objects(name, copts):
        return compile(
            cc,
            name = "%s/%s" % (ctx.label.name, name),
            srcs = [directories[name]],
            copts = copts,
            contexts = compiled.contexts + [tensorflow.optional_sources.compilation_context],
        )

    return struct(
        sources = directories.values(),
        objects = compiled_objects("optional", compiled.copts) +
                  compiled_objects("optional_third_party", LIBRARY_COPTS + compiled.options),
    )
