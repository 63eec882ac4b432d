"""Link fragments and headers, for apps that link a carved library without Bazel."""

load("//rules/platforms:table.bzl", "PLATFORMS")
load("//rules/private/outputs:declare.bzl", "declare", "declare_folder")
load("//rules/private/tfcarve:run_tfcarve.bzl", "run_tfcarve")

visibility(["//rules/private/..."])

# The files for each operating system; tfcarve.emit.link_facts writes them.
_FRAGMENTS = {
    "android": ["Android.mk", "TensorFlowCoreConfig.cmake", "link_flags.txt"],
    "ios": ["link_flags.txt", "tensorflow-core.xcconfig"],
    "linux": [
        "TensorFlowCoreConfig.cmake",
        "link_flags.txt",
        "tensorflow-core-shared.pc",
        "tensorflow-core.mk",
        "tensorflow-core.pc",
    ],
}

# The fragments of a Flex delegate, to link it statically. An interpreter loads the shared library, which needs no fragment.
_FLEX_FRAGMENTS = ["link_flags.txt"]

# TensorFlow's C++ interface: the headers that apps include directly. These headers include the other headers.
_CPP_HEADERS = [
    "tensorflow/core/platform/env.h",
    "tensorflow/core/public/session.h",
]

# How a cc_library declares that it needs an Apple framework.
_FRAMEWORK = "-Wl,-framework,"

def link_facts(ctx, *, selection, linked, minimum_os_version, headers, copts):
    """Declares the link fragments and the include trees of a library.

    Args:
      ctx: of a rule with LINK_FACTS_ATTRS, `flex` and `_tfcarve`.
      selection: File, selection.json.
      linked: CcLinkingContext of all that the library links.
      minimum_os_version: string, the minimum OS version, an API level of Android ("24") or a version of iOS ("13.0");
        empty for Linux, and if the toolchain does not say.
      headers: CcCompilationContext that holds TensorFlow's C++ headers.
      copts: list of compiler flags of TensorFlow's sources.

    Returns:
      struct(fragments, include_trees): lists of Files; the latter are directories. A Flex delegate has no headers: an
      interpreter finds its functions by their names.
    """
    return struct(
        fragments = _fragments(ctx, selection, linked, minimum_os_version, headers, copts),
        include_trees = [] if ctx.attr.flex else [_c_headers(ctx), _cpp_headers(ctx, headers)],
    )

def _fragments(ctx, selection, linked, minimum_os_version, headers, copts):
    if not ctx.attr.platform:
        return []
    row = PLATFORMS[ctx.attr.platform]
    facts = declare(ctx, "parts/link_facts.json")
    system = {flag: None for i in linked.linker_inputs.to_list() for flag in i.user_link_flags}.keys()
    own_defines = [flag.removeprefix("-D") for flag in copts if flag.startswith("-D")]
    ctx.actions.write(facts, json.encode(struct(
        defines = {define: None for define in own_defines + headers.defines.to_list()}.keys(),
        frameworks = [f.removeprefix(_FRAMEWORK) for f in system if f.startswith(_FRAMEWORK)],
        minimum_os_version = minimum_os_version,
        os = row.os,
        platform = ctx.attr.platform,
        shared_library = "" if ctx.attr.flex else row.shared_library or "",
        system_flags = [flag for flag in system if not flag.startswith(_FRAMEWORK)],
    )))
    outputs = [declare(ctx, name) for name in (_FLEX_FRAGMENTS if ctx.attr.flex else _FRAGMENTS[row.os])]
    args = ctx.actions.args()
    args.add("link-facts")
    args.add(facts)
    args.add("--selection", selection)
    args.add_all(outputs, before_each = "-o")
    run_tfcarve(
        ctx,
        args,
        inputs = [facts, selection],
        outputs = outputs,
        mnemonic = "TfLinkFacts",
        progress_message = "Writing the link fragments of %{label}",
    )
    return outputs

def _c_headers(ctx):
    """include/: the C interface."""
    headers = ctx.files._c_api_headers
    names = [header.basename for header in headers]
    return _include_tree(ctx, "include", names, [headers[0].dirname], depset(headers))

def _cpp_headers(ctx, headers):
    """include_cpp/: TensorFlow's C++ interface."""
    folders = depset(transitive = [headers.quote_includes, headers.includes, headers.system_includes])
    return _include_tree(ctx, "include_cpp", _CPP_HEADERS, folders, headers.headers)

def _include_tree(ctx, name, headers, folders, inputs):
    output = declare_folder(ctx, name)
    args = ctx.actions.args()
    args.add("include-tree")
    args.add_all(headers)
    args.add_all(folders, before_each = "-I")
    args.add_all("-o", [output], expand_directories = False)
    run_tfcarve(
        ctx,
        args,
        inputs = inputs,
        outputs = [output],
        mnemonic = "TfIncludeTree",
        progress_message = "Collecting headers of %{label}",
    )
    return output

LINK_FACTS_ATTRS = {
    "platform": attr.string(doc = "PLATFORM_NAME."),
    "_c_api_headers": attr.label(default = "//tools/runtime/include:c_api_header_files"),
}
