"""precompiled_header: a header that the compiler reads once, not once for each source.

Most of the time that TensorFlow's sources take to compile is spent in headers.
"""

load("@bazel_skylib//rules:common_settings.bzl", "BuildSettingInfo")
load("@bazel_tools//tools/build_defs/cc:action_names.bzl", "ACTION_NAMES")
load("@rules_cc//cc:defs.bzl", "CcInfo", "cc_common")
load(":objects.bzl", "CC_TOOLCHAINS", "CC_TOOLCHAIN_ATTRS", "cc_tools")

visibility("public")

PrecompiledHeaderInfo = provider(
    doc = "How a source includes a precompiled header.",
    fields = {
        "copts": "list[string]: the flags, the first -include among a source's; the dependency alone has no effect.",
        "plain_copts": "list[string]: flags that include the header itself, for a source with other flags than it.",
    },
)

# The compiler's name in toolchains with clang: in most, and in rules_android_ndk up to 0.1.5.
_CLANG = ["clang", "llvm-c++"]

# clang writes absolute paths of the sandbox into the precompiled header. These flags put all below one root, which each
# source that includes the header sets to ".". Templates are instantiated once, not once for each source.
_CLANG_FLAGS = [
    "-working-directory=/proc/self/cwd",
    "-isysroot",
    "/proc/self/cwd",
    "-relocatable-pch",
    "-fpch-instantiate-templates",
    "-Xclang",
    "-fno-pch-timestamp",
]

def _command_line(ctx, cc, context, output, flags):
    """The compiler's arguments and the environment that it is run in."""
    variables = cc_common.create_compile_variables(
        feature_configuration = cc.features,
        cc_toolchain = cc.toolchain,
        source_file = ctx.file.hdr.path,
        output_file = output,
        user_compile_flags = ctx.fragments.cpp.copts + ctx.fragments.cpp.cxxopts + ctx.attr.copts +
                             ctx.attr.options[BuildSettingInfo].value + flags + ["-x", "c++-header"],
        include_directories = context.includes,
        quote_include_directories = context.quote_includes,
        system_include_directories = depset(transitive = [context.system_includes, context.external_includes]),
        preprocessor_defines = context.defines,
        use_pic = cc.pic,
    )
    return struct(
        arguments = cc_common.get_memory_inefficient_command_line(
            feature_configuration = cc.features,
            action_name = ACTION_NAMES.cpp_compile,
            variables = variables,
        ),
        env = cc_common.get_environment_variables(
            feature_configuration = cc.features,
            action_name = ACTION_NAMES.cpp_compile,
            variables = variables,
        ),
    )

def _precompile(ctx, cc, context, output, flags):
    command = _command_line(ctx, cc, context, output.path, flags)
    args = ctx.actions.args()
    args.add_all(command.arguments)
    ctx.actions.run(
        executable = cc_common.get_tool_for_action(
            feature_configuration = cc.features,
            action_name = ACTION_NAMES.cpp_compile,
        ),
        arguments = [args],
        env = command.env,
        inputs = depset([ctx.file.hdr] + cc.system_compiler, transitive = [context.headers, cc.toolchain.all_files]),
        outputs = [output],
        mnemonic = "TfPrecompiledHeader",
        progress_message = "Precompiling %{output}",
    )

def _precompiled_header_impl(ctx):
    cc = cc_tools(ctx)
    context = cc_common.merge_compilation_contexts(
        compilation_contexts = [dep[CcInfo].compilation_context for dep in ctx.attr.deps],
    )
    options = ctx.attr.options[BuildSettingInfo].value
    name = ctx.attr.include_as or ctx.file.hdr.basename
    header = ctx.actions.declare_file(name)
    ctx.actions.symlink(output = header, target_file = ctx.file.hdr)
    plain = ["-include", name]
    if not ctx.attr._enabled[BuildSettingInfo].value:
        files = [header]
        copts = plain
    elif cc.toolchain.compiler not in _CLANG:
        # The compiler looks for <header>.gch next to the header.
        files = [header, ctx.actions.declare_file(name + ".gch")]
        copts = plain
        _precompile(ctx, cc, context, files[1], [])
    elif "-isysroot" in _command_line(ctx, cc, context, header.path, []).arguments:
        # Apple's toolchains use this flag for themselves.
        files = [header]
        copts = plain
    else:
        # clang looks for the header at the path that it was precompiled from.
        files = [header, ctx.actions.declare_file(name + ".pch"), ctx.file.hdr]
        copts = ["-isysroot", ".", "-include-pch", files[1].path]
        _precompile(ctx, cc, context, files[1], _CLANG_FLAGS)
    own = cc_common.create_compilation_context(
        headers = depset(files),
        includes = depset([header.path.removesuffix("/" + name)]),
    )
    return [
        DefaultInfo(files = depset(files)),
        PrecompiledHeaderInfo(copts = copts, plain_copts = plain),
        platform_common.TemplateVariableInfo({ctx.attr.variable: " ".join(copts + options)}),
        # The linking contexts of the dependencies too: a source depends on them only through the header.
        cc_common.merge_cc_infos(
            direct_cc_infos = [CcInfo(compilation_context = own)],
            cc_infos = [dep[CcInfo] for dep in ctx.attr.deps],
        ),
    ]

precompiled_header = rule(
    implementation = _precompiled_header_impl,
    doc = "Sources that depend on it, and whose copts are its copts and the copts of PrecompiledHeaderInfo, do not read the header again.",
    fragments = ["cpp"],
    provides = [CcInfo, PrecompiledHeaderInfo, platform_common.TemplateVariableInfo],
    toolchains = CC_TOOLCHAINS,
    attrs = CC_TOOLCHAIN_ATTRS | {
        "hdr": attr.label(allow_single_file = [".h"], mandatory = True),
        "copts": attr.string_list(doc = "The flags of the sources."),
        "deps": attr.label_list(providers = [CcInfo]),
        "include_as": attr.string(doc = "The path by which sources include it; default: the name of `hdr`."),
        "options": attr.label(
            default = "//rules/config:library_copts",
            doc = "Further flags of the sources: the flags of a library's options.",
            providers = [BuildSettingInfo],
        ),
        "variable": attr.string(mandatory = True, doc = "The Make variable with the flags and the options, for cc_library."),
        "_enabled": attr.label(default = "//rules/config:precompiled_headers", providers = [BuildSettingInfo]),
    },
)
