"""kernel_index: the index of all registrations in a TensorFlow source tree, for the platform and the CPU that the target is built for."""

load("@bazel_skylib//rules:common_settings.bzl", "BuildSettingInfo")
load("@bazel_tools//tools/build_defs/cc:action_names.bzl", "ACTION_NAMES")
load("@rules_cc//cc:defs.bzl", "cc_common")
load("//rules/platforms:table.bzl", "PLATFORMS")
load("//rules/private/cc:copts.bzl", "tensorflow_copts")
load("//rules/private/cc:objects.bzl", "CC_TOOLCHAINS", "CC_TOOLCHAIN_ATTRS", "cc_tools")
load("//rules/private/config:canonical_config.bzl", "default_cpu_flags")
load("//rules/private/config:platform_name.bzl", "PLATFORM_NAME")
load("//rules/private/config:transitions.bzl", "TRANSITION_ATTRS", "platform_and_cpu")
load("//rules/private/outputs:declare.bzl", "declare_named")
load("//rules/private/tfcarve:run_tfcarve.bzl", "TFCARVE_ATTRS", "run_tfcarve", "system_tool")

visibility("public")

KernelIndexInfo = provider(
    doc = "The platform of an index.",
    fields = {
        "target": "string: name of the platform; empty for the build machine.",
        "macros": "File: the predefined macros of the platform's compiler; None for the build machine.",
    },
)

def _kernel_index_impl(ctx):
    index = declare_named(ctx, ".json")
    args = ctx.actions.args()
    args.add("index")
    args.add("--tensorflow", ctx.label.workspace_root)
    args.add_all(ctx.attr.defines, before_each = "--define")
    macros = []
    if ctx.attr.platform:
        macros = [_predefined_macros(ctx)]
        args.add("--target", ctx.attr.platform)
        args.add_all("--target-macros", macros)
    args.add("-o", index)
    run_tfcarve(
        ctx,
        args,
        inputs = ctx.files.sources + macros,
        outputs = [index],
        mnemonic = "TfKernelIndex",
        progress_message = "Indexing TensorFlow's kernels",
        # Its preprocessor reads the sources.
        system_tools = {"CXX": ctx.files._cxx},
    )
    return [
        DefaultInfo(files = depset([index])),
        KernelIndexInfo(target = ctx.attr.platform, macros = macros[0] if macros else None),
    ]

def _predefined_macros(ctx):
    """The output of the target's compiler for -dM -E: macros such as __ARM_NEON decide which kernels a source registers."""
    cc = cc_tools(ctx)
    output = declare_named(ctx, ".macros.h")
    variables = cc_common.create_compile_variables(
        feature_configuration = cc.features,
        cc_toolchain = cc.toolchain,
        user_compile_flags = _unit_flags(ctx),
        use_pic = cc.pic,
    )
    arguments = dict(
        feature_configuration = cc.features,
        action_name = ACTION_NAMES.cpp_compile,
    )
    flags = cc_common.get_memory_inefficient_command_line(variables = variables, **arguments)
    ctx.actions.run(
        executable = cc_common.get_tool_for_action(**arguments),
        arguments = [f for f in flags if f != "-c"] + ["-dM", "-E", "-x", "c++", "/dev/null", "-o", output.path],
        env = cc_common.get_environment_variables(variables = variables, **arguments),
        inputs = cc.toolchain.all_files,
        outputs = [output],
        mnemonic = "TfTargetMacros",
        progress_message = "Reading the predefined macros of %{label}",
    )
    return output

def _unit_flags(ctx):
    """The flags of units, except the flags of their precompiled header, which do not change the predefined macros."""
    fragment = ctx.fragments.cpp
    copts = tensorflow_copts(defines = ctx.attr.defines, root = ctx.label.workspace_root)
    cpu = ctx.attr._library_copts[BuildSettingInfo].value or default_cpu_flags(PLATFORMS[ctx.attr.platform])
    return fragment.copts + fragment.cxxopts + copts + cpu

_kernel_index = rule(
    implementation = _kernel_index_impl,
    cfg = platform_and_cpu,
    doc = "Indexes the tree of the repository that the target is in.",
    fragments = ["cpp"],
    provides = [KernelIndexInfo],
    toolchains = CC_TOOLCHAINS,
    attrs = CC_TOOLCHAIN_ATTRS | TRANSITION_ATTRS | TFCARVE_ATTRS | {
        "defines": attr.string_list(mandatory = True, doc = "Macros of the compile."),
        "platform": attr.string(doc = "PLATFORM_NAME."),
        "sources": attr.label(mandatory = True),
        "_cxx": system_tool("cxx"),
        "_library_copts": attr.label(default = "//rules/config:library_copts", providers = [BuildSettingInfo]),
    },
)

def kernel_index(name, **kwargs):
    """Indexes the tree of the repository that the target is in.

    Args:
      name: of the target; the index is <name>.json.
      **kwargs: sources, defines.
    """
    _kernel_index(name = name, platform = PLATFORM_NAME, **kwargs)
