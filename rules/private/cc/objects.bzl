"""Compiles, archives and links with the C++ toolchain of a rule."""

load("@bazel_tools//tools/build_defs/cc:action_names.bzl", "ACTION_NAMES")
load("@bazel_tools//tools/cpp:toolchain_utils.bzl", "find_cpp_toolchain", "use_cpp_toolchain")
load("@rules_cc//cc:defs.bzl", "cc_common")

visibility(["//rules/private/..."])

def cc_tools(ctx):
    """The toolchain and the features of a rule, as one value.

    Args:
      ctx: of a rule with CC_TOOLCHAIN_ATTRS, CC_TOOLCHAINS and the fragment "cpp".

    Returns:
      struct(actions, label, toolchain, features, pic, system_compiler); pic is False if the toolchain always compiles
      position-independent code; system_compiler is a list of Files that identify the compiler, for actions that run it.
    """
    toolchain = find_cpp_toolchain(ctx)
    features = cc_common.configure_features(
        ctx = ctx,
        cc_toolchain = toolchain,
        requested_features = ctx.features,
        unsupported_features = ctx.disabled_features,
    )
    return struct(
        actions = ctx.actions,
        label = ctx.label,
        toolchain = toolchain,
        features = features,
        pic = cc_common.is_enabled(feature_configuration = features, feature_name = "supports_pic"),
        system_compiler = ctx.files._system_compiler,
    )

def compile(cc, *, name, srcs, copts, contexts):
    """Compiles sources, or each file of a directory, to position-independent objects.

    Args:
      cc: from cc_tools.
      name: of the folder that the objects are put in.
      srcs: list of Files; a directory's files are known when the build runs.
      copts: list of compiler flags.
      contexts: list of CcCompilationContext that the sources see.

    Returns:
      list of Files: the objects (for a directory, one directory of objects).
    """
    _, outputs = cc_common.compile(
        name = name,
        actions = cc.actions,
        feature_configuration = cc.features,
        cc_toolchain = cc.toolchain,
        srcs = srcs,
        user_compile_flags = copts,
        compilation_contexts = contexts,
        additional_inputs = cc.system_compiler,
        disallow_nopic_outputs = cc.pic,
    )
    return outputs.pic_objects if cc.pic else outputs.objects

def libraries_of(cc_info):
    """The libraries that a CcInfo links, in link order: list of LibraryToLink."""
    return [
        library
        for linker_input in cc_info.linking_context.linker_inputs.to_list()
        for library in linker_input.libraries
    ]

def objects_of(libraries):
    """The position-independent objects of libraries.

    Args:
      libraries: list of LibraryToLink; a library without PIC objects is from a toolchain whose objects are all
        position-independent.

    Returns:
      list of Files.
    """
    return [member for library in libraries for member in library.pic_objects or library.objects]

def archive_of(library):
    """The archive of a LibraryToLink, with position-independent objects: a File."""
    return library.pic_static_library or library.static_library

def archive(cc, *, output, objects, placeholder = []):
    """Declares the action that archives objects.

    Members of the same name are all stored: TensorFlow, Abseil and protobuf each have a status.o.

    Args:
      cc: from cc_tools.
      output: File, the archive.
      objects: list of Files, or of directories of objects.
      placeholder: list of Files, objects to archive in addition if `objects` may be none and the toolchain's archiver
        refuses that, as Apple's libtool does.
    """
    args = cc.actions.args()
    flags = _archiver_flags(cc, output)
    args.add_all(flags)
    if "-static" in flags:
        objects = objects + placeholder
    args.add_all(objects)
    args.use_param_file("@%s", use_always = True)
    args.set_param_file_format("multiline")
    _run_tool(cc, ACTION_NAMES.cpp_link_static_library, args, objects, output, "TfArchive")

def _archiver_flags(cc, output):
    """The arguments of the toolchain's archiver before the objects."""
    flags = cc_common.get_memory_inefficient_command_line(
        feature_configuration = cc.features,
        action_name = ACTION_NAMES.cpp_link_static_library,
        variables = cc_common.create_link_variables(
            cc_toolchain = cc.toolchain,
            feature_configuration = cc.features,
            is_static_linking_mode = True,
            is_using_linker = False,
            output_file = output.path,
        ),
    )

    # Apple's libtool stores members of the same name; ar does if it appends.
    return flags if "-static" in flags else ["qcsD", output.path]

def strip(cc, *, output, library):
    """Declares the action that copies a shared library without its symbols.

    Args:
      cc: from cc_tools.
      output: File, the copy.
      library: File, the library with its symbols.
    """
    args = cc.actions.args()
    args.add("--strip-all")
    args.add("-o", output)
    args.add(library)
    _run_tool(cc, ACTION_NAMES.strip, args, [library], output, "TfStrip")

def static_library(cc, *, archive_file, alwayslink):
    """A LibraryToLink; alwayslink if its objects have registrations."""
    return cc_common.create_library_to_link(
        actions = cc.actions,
        feature_configuration = cc.features,
        cc_toolchain = cc.toolchain,
        pic_static_library = archive_file,
        alwayslink = alwayslink,
    )

def linking_context(cc, libraries, owner = None):
    """A CcLinkingContext of libraries.

    Args:
      cc: from cc_tools.
      libraries: list of LibraryToLink, in link order.
      owner: Label of the target that the libraries are from; default: this rule's target.

    Returns:
      CcLinkingContext.
    """
    return cc_common.create_linking_context(
        linker_inputs = depset([cc_common.create_linker_input(
            owner = owner or cc.label,
            libraries = depset(libraries),
        )]),
    )

def link(cc, *, name, output_type, contexts, flags = [], inputs = [], outputs = []):
    """Links a program or a shared library.

    Args:
      cc: from cc_tools.
      name: of the output, without prefix and extension.
      output_type: "executable" or "dynamic_library".
      contexts: list of CcLinkingContext.
      flags: list of further linker flags.
      inputs: list of Files that the flags name.
      outputs: list of further Files that the flags make the linker write.

    Returns:
      File: the linked program or library.
    """
    linked = cc_common.link(
        name = name,
        actions = cc.actions,
        feature_configuration = cc.features,
        cc_toolchain = cc.toolchain,
        output_type = output_type,
        linking_contexts = contexts,
        user_link_flags = flags,
        additional_inputs = inputs + cc.system_compiler,
        additional_outputs = outputs,
    )
    if output_type == "executable":
        return linked.executable
    library = linked.library_to_link
    return library.resolved_symlink_dynamic_library or library.dynamic_library

def _run_tool(cc, action_name, args, inputs, output, mnemonic):
    cc.actions.run(
        executable = cc_common.get_tool_for_action(
            feature_configuration = cc.features,
            action_name = action_name,
        ),
        arguments = [args],
        inputs = depset(inputs, transitive = [cc.toolchain.all_files]),
        outputs = [output],
        mnemonic = mnemonic,
        progress_message = "%s %%{output}" % mnemonic.removeprefix("Tf"),
    )

CC_TOOLCHAIN_ATTRS = {
    "_cc_toolchain": attr.label(default = "@bazel_tools//tools/cpp:current_cc_toolchain"),
    "_system_compiler": attr.label(default = "//rules/private/cc:system_compiler", allow_files = True),
}

CC_TOOLCHAINS = use_cpp_toolchain()
