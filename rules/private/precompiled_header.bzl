"""precompiled_header: one header, read by the compiler once and not once a source.

TensorFlow's headers take most of the time that its sources take to compile.
"""

load("@bazel_tools//tools/build_defs/cc:action_names.bzl", "ACTION_NAMES")
load("@rules_cc//cc:defs.bzl", "CcInfo", "cc_common")
load(":objects.bzl", "CC_TOOLCHAINS", "CC_TOOLCHAIN_ATTRS", "cc_tools")

visibility("public")

def _precompiled_header_impl(ctx):
    cc = cc_tools(ctx)
    context = cc_common.merge_compilation_contexts(
        compilation_contexts = [dep[CcInfo].compilation_context for dep in ctx.attr.deps],
    )

    # The compiler looks for <header>.gch beside the header.
    header = ctx.actions.declare_file(ctx.file.hdr.basename)
    ctx.actions.symlink(output = header, target_file = ctx.file.hdr)
    precompiled = ctx.actions.declare_file(ctx.file.hdr.basename + ".gch")
    variables = cc_common.create_compile_variables(
        feature_configuration = cc.features,
        cc_toolchain = cc.toolchain,
        source_file = ctx.file.hdr.path,
        output_file = precompiled.path,
        user_compile_flags = ctx.fragments.cpp.copts + ctx.fragments.cpp.cxxopts + ctx.attr.copts + ["-x", "c++-header"],
        include_directories = context.includes,
        quote_include_directories = context.quote_includes,
        system_include_directories = depset(transitive = [context.system_includes, context.external_includes]),
        preprocessor_defines = context.defines,
        use_pic = True,
    )
    args = ctx.actions.args()
    args.add_all(cc_common.get_memory_inefficient_command_line(
        feature_configuration = cc.features,
        action_name = ACTION_NAMES.cpp_compile,
        variables = variables,
    ))
    ctx.actions.run(
        executable = cc_common.get_tool_for_action(
            feature_configuration = cc.features,
            action_name = ACTION_NAMES.cpp_compile,
        ),
        arguments = [args],
        env = cc_common.get_environment_variables(
            feature_configuration = cc.features,
            action_name = ACTION_NAMES.cpp_compile,
            variables = variables,
        ),
        inputs = depset([ctx.file.hdr], transitive = [context.headers, cc.toolchain.all_files]),
        outputs = [precompiled],
        mnemonic = "TfPrecompiledHeader",
        progress_message = "Precompiling %{output}",
    )
    own = cc_common.create_compilation_context(
        headers = depset([header, precompiled]),
        includes = depset([header.dirname]),
    )
    return [
        DefaultInfo(files = depset([header, precompiled])),
        # With what the dependencies link: a source that depends on the header depends on these by it alone.
        cc_common.merge_cc_infos(
            direct_cc_infos = [CcInfo(compilation_context = own)],
            cc_infos = [dep[CcInfo] for dep in ctx.attr.deps],
        ),
    ]

precompiled_header = rule(
    implementation = _precompiled_header_impl,
    doc = "Sources that depend on it and have `-include <hdr>` as their first -include, and the same copts, do not read the header again.",
    fragments = ["cpp"],
    provides = [CcInfo],
    toolchains = CC_TOOLCHAINS,
    attrs = CC_TOOLCHAIN_ATTRS | {
        "hdr": attr.label(allow_single_file = [".h"], mandatory = True),
        "copts": attr.string_list(doc = "Those of the sources, without the -include."),
        "deps": attr.label_list(providers = [CcInfo]),
    },
)
