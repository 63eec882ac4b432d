"""Size attribution of a library: the linker map, how it was linked, and the reports of `tfcarve size`."""

load("@bazel_tools//tools/build_defs/cc:action_names.bzl", "ACTION_NAMES")
load("@rules_cc//cc:defs.bzl", "cc_common")
load("//rules/private/cc:objects.bzl", "archive_of", "objects_of")
load("//rules/private/outputs:declare.bzl", "declare")
load("//rules/private/tfcarve:run_tfcarve.bzl", "run_tfcarve", "system_tool")

visibility(["//rules/private/..."])

# For rules that call `sizes`.
SIZES_ATTRS = {"_cxxfilt": system_tool("cxxfilt")}

def declare_map(ctx):
    """The map of the shared library's link, which the linker writes with `map_flags`."""
    return declare(ctx, "tensorflow-core.map")

def map_flags(map_file):
    """The linker flags that write the map, for lld and for GNU ld."""
    return ["-Wl,-Map=" + map_file.path]

def sizes(
        ctx,
        cc,
        *,
        selection,
        shared,
        map_file,
        units,
        interface,
        contexts,
        flags,
        inputs,
        compiled):
    """Declares the size report of a shared library.

    Args:
      ctx: of a rule with SIZES_ATTRS, LINK_FACTS_ATTRS (for the platform's name), TENSORFLOW_ATTRS, `_math`,
        `_threads` and `_tfcarve`.
      cc: from cc_tools.
      selection: File, selection.json.
      shared: File, the stripped library.
      map_file: File, from declare_map, written by its link.
      units: File, the archive of the units.
      interface: Label of the target with the code of the interface that apps call.
      contexts: list of CcLinkingContext of its link.
      flags: list of further flags of its link.
      inputs: list of Files that the flags name.
      compiled: from units: how the units were compiled.

    Returns:
      struct of Files: link (link.json), map, page (an HTML file), report (JSON); and archives, the list of files that
      the commands of link.json read: Bazel's own link may use objects instead.
    """
    libraries = [
        library
        for context in contexts
        for linker_input in context.linker_inputs.to_list()
        for library in linker_input.libraries
    ]
    line = declare(ctx, "link.json")
    ctx.actions.write(line, json.encode(struct(
        version = 3,
        platform = ctx.attr.platform or "this_machine",
        link = _link_command(cc, libraries, contexts, flags, units),
        strip = struct(
            argv = [_tool(cc, ACTION_NAMES.strip), "--strip-all", "-o", _OUTPUT, _SOURCE],
            output = _OUTPUT,
            source = _SOURCE,
        ),
        compile = _compile_command(cc, compiled.copts, compiled.contexts),
        hot_compile = _compile_command(cc, compiled.hot_copts, compiled.hot_contexts),
        libraries = _described(ctx, cc, contexts, interface),
    )))
    report = declare(ctx, "sizes.json")
    page = declare(ctx, "sizes.html")
    archives = [file for library in libraries for file in _files(cc, library)]
    args = ctx.actions.args()
    args.add("size")
    args.add(shared)
    args.add("--map", map_file)
    args.add("--selection", selection)
    args.add("--link", line)
    args.add("--root", ".")
    args.add("--no-history")
    args.add("-o", report)
    args.add("--html", page)
    run_tfcarve(
        ctx,
        args,
        inputs = [shared, map_file, selection, line, units] + archives + inputs,
        outputs = [report, page],
        mnemonic = "TfSizes",
        progress_message = "Attributing the bytes of %{label}",
        system_tools = {"CXXFILT": ctx.files._cxxfilt},
    )
    return struct(
        archives = {archive_of(library): None for library in libraries}.keys(),
        link = line,
        map = map_file,
        page = page,
        report = report,
    )

# Placeholders in commands, which `tfcarve size-marginal` replaces by files.
_OUTPUT = "TFCARVE_OUTPUT"
_SOURCE = "TFCARVE_SOURCE"

def _tool(cc, action_name):
    return cc_common.get_tool_for_action(feature_configuration = cc.features, action_name = action_name)

def _as_objects(cc, library):
    """Whether Bazel links the objects of a library instead of its archive; the map then names them."""
    return bool(objects_of([library])) and cc_common.is_enabled(
        feature_configuration = cc.features,
        feature_name = "supports_start_end_lib",
    )

def _files(cc, library):
    return objects_of([library]) if _as_objects(cc, library) else [archive_of(library)]

def _described(ctx, cc, contexts, interface):
    """The archives and objects of a link, in link order, each with its library and part (tfcarve.size.origin.Library)."""
    rows = {}
    for context in contexts:
        for linker_input in context.linker_inputs.to_list():
            owner = linker_input.owner
            part = _part(ctx, owner, interface)
            for library in linker_input.libraries:
                for file in _files(cc, library):
                    rows.setdefault(file.path, struct(path = file.path, name = owner.name, part = part))
    return rows.values()

def _part(ctx, owner, interface):
    """The part of a target's objects; None for the library's own archives, whose sources tfcarve wrote."""
    if owner == ctx.label:
        return None
    if owner == interface:
        return "C interface"
    if owner.repo_name == ctx.attr._tensorflow.label.repo_name:
        return "core"
    helpers = [ctx.attr._math.label, ctx.attr._threads.label]
    if owner.repo_name == helpers[0].repo_name:
        # Kernels call math and threads. The other code of tfcarve belongs to the interface.
        return "kernel helpers" if owner.package in [label.package for label in helpers] else "C interface"
    return "third party"

def _link_command(cc, libraries, contexts, flags, units):
    """The link command with archives in order; its output equals the output of Bazel's own link."""
    action_name = ACTION_NAMES.cpp_link_dynamic_library
    variables = cc_common.create_link_variables(
        feature_configuration = cc.features,
        cc_toolchain = cc.toolchain,
        output_file = _OUTPUT,
        is_linking_dynamic_library = True,
        is_using_linker = True,
        user_link_flags = flags,
    )
    whole = {}
    for library in libraries:
        path = archive_of(library).path
        whole[path] = whole.get(path, False) or library.alwayslink
    argv = [_tool(cc, action_name)] + cc_common.get_memory_inefficient_command_line(
        feature_configuration = cc.features,
        action_name = action_name,
        variables = variables,
    )
    for path, forced in whole.items():
        argv += ["-Wl,--whole-archive", path, "-Wl,--no-whole-archive"] if forced else [path]
    system = {
        flag: None
        for context in contexts
        for linker_input in context.linker_inputs.to_list()
        for flag in linker_input.user_link_flags
    }
    return struct(argv = argv + system.keys(), output = _OUTPUT, source = units.path)

def _compile_command(cc, copts, contexts):
    merged = cc_common.merge_compilation_contexts(compilation_contexts = contexts)
    action_name = ACTION_NAMES.cpp_compile
    variables = cc_common.create_compile_variables(
        feature_configuration = cc.features,
        cc_toolchain = cc.toolchain,
        source_file = _SOURCE,
        output_file = _OUTPUT,
        user_compile_flags = copts,
        include_directories = merged.includes,
        quote_include_directories = merged.quote_includes,
        system_include_directories = merged.system_includes,
        preprocessor_defines = merged.defines,
        use_pic = cc.pic,
    )
    argv = [_tool(cc, action_name)] + cc_common.get_memory_inefficient_command_line(
        feature_configuration = cc.features,
        action_name = action_name,
        variables = variables,
    )
    return struct(argv = argv, output = _OUTPUT, source = _SOURCE)
