"""tensorflow_release: all targets of a TensorFlow release that rules use, as one provider.

Rules and macros name the release of the build, @tfcarve_tensorflow, only here.
"""

load("@rules_cc//cc:defs.bzl", "CcInfo", "cc_common")
load("@tfcarve_tensorflow//:release.bzl", "DEFINES", "ROOT")
load("//rules:providers.bzl", "TensorFlowInfo")
load("//rules/private/cc:copts.bzl", "tensorflow_copts")
load("//rules/private/cc:precompiled_header.bzl", "PrecompiledHeaderInfo")
load(":kernel_index.bzl", "KernelIndexInfo")

visibility("public")

def _tensorflow_release_impl(ctx):
    attr = ctx.attr
    linked = [attr.core_registering[CcInfo], attr.unit_sources[CcInfo]]
    return [cc_common.merge_cc_infos(cc_infos = linked), TensorFlowInfo(
        version = attr.version,
        components = {_component(target): target.files for target in attr.components},
        defines = attr.defines,
        root = ctx.label.workspace_root or ".",
        index = ctx.file.index,
        target = attr.index[KernelIndexInfo].target,
        target_macros = attr.index[KernelIndexInfo].macros,
        sources = depset(ctx.files.sources),
        core_headers = attr.core_headers[CcInfo],
        core_registering = attr.core_registering[CcInfo],
        environment = attr.environment[CcInfo],
        flex_delegate = attr.flex_delegate[CcInfo],
        optional = attr.optional[CcInfo],
        optional_sources = attr.optional_sources[CcInfo],
        unit_libraries = attr.unit_libraries[CcInfo],
        unit_sources = attr.unit_sources[CcInfo],
        session = attr.session[CcInfo],
        precompiled_headers = _precompiled(attr.precompiled_headers),
        hot_precompiled_headers = _precompiled(attr.hot_precompiled_headers),
        flex_java = ctx.files.flex_java,
        lite_java = ctx.files.lite_java,
    )]

def _component(target):
    """The name of the source that an `origin` belongs to: "abseil", "tensorflow"."""
    name = target.label.repo_name.split("tfcarve_")[-1]
    return "tensorflow" if name.startswith("tensorflow_") else name

def _precompiled(target):
    return struct(flags = target[PrecompiledHeaderInfo], cc_info = target[CcInfo])

# It provides CcInfo, because the aspect of cc_shared_library follows only targets that do.
tensorflow_release = rule(
    implementation = _tensorflow_release_impl,
    provides = [CcInfo, TensorFlowInfo],
    attrs = {
        "components": attr.label_list(mandatory = True, allow_files = True),
        "core_headers": attr.label(mandatory = True, providers = [CcInfo]),
        "core_registering": attr.label(mandatory = True, providers = [CcInfo]),
        "defines": attr.string_list(mandatory = True),
        "environment": attr.label(mandatory = True, providers = [CcInfo]),
        "flex_delegate": attr.label(mandatory = True, providers = [CcInfo]),
        "flex_java": attr.label(mandatory = True, allow_files = [".java"]),
        "hot_precompiled_headers": attr.label(mandatory = True, providers = [CcInfo, PrecompiledHeaderInfo]),
        "index": attr.label(mandatory = True, allow_single_file = [".json"], providers = [KernelIndexInfo]),
        "lite_java": attr.label(mandatory = True, allow_files = [".java"]),
        "optional": attr.label(mandatory = True, providers = [CcInfo]),
        "optional_sources": attr.label(mandatory = True, providers = [CcInfo]),
        "precompiled_headers": attr.label(mandatory = True, providers = [CcInfo, PrecompiledHeaderInfo]),
        "session": attr.label(mandatory = True, providers = [CcInfo]),
        "sources": attr.label(mandatory = True, allow_files = True),
        "unit_libraries": attr.label(mandatory = True, providers = [CcInfo]),
        "unit_sources": attr.label(mandatory = True, providers = [CcInfo]),
        "version": attr.string(mandatory = True),
    },
)

# The attribute of rules that use TensorFlow.
TENSORFLOW_ATTRS = {
    "_tensorflow": attr.label(
        default = "@tfcarve_tensorflow//:release",
        providers = [TensorFlowInfo],
    ),
}

# For macros and BUILD files: the attributes of a cc_library are set while packages are loaded, when there is no TensorFlowInfo.
# The flags of TensorFlow's sources:
TENSORFLOW_COPTS = tensorflow_copts(defines = DEFINES, root = ROOT)

# The precompiled headers of most sources, and of the sources that are compiled for speed:
TENSORFLOW_HEADERS = Label("@tfcarve_tensorflow//:precompiled_headers")
HOT_TENSORFLOW_HEADERS = Label("@tfcarve_tensorflow//:hot_precompiled_headers")
