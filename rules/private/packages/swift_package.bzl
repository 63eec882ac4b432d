"""tf_swift_package: a Swift package with a carved library for iOS devices and simulators."""

load("//rules:providers.bzl", "TfMobileLibraryInfo")
load("//rules/platforms:table.bzl", "PLATFORMS")
load("//rules/private/cc:objects.bzl", "CC_TOOLCHAINS", "CC_TOOLCHAIN_ATTRS", "cc_tools", "link")
load("//rules/private/config:canonical_config.bzl", "CANONICAL_CONFIG_ATTRS", "canonical_config")
load("//rules/private/config:transitions.bzl", "TRANSITION_ATTRS", "each_platform")
load("//rules/private/library:system_linker.bzl", "framework_flags")
load("//rules/private/outputs:declare.bzl", "declare_folder")
load("//rules/private/tfcarve:run_tfcarve.bzl", "TFCARVE_ATTRS", "run_tfcarve")
load(":ios_slice.bzl", "ios_slice")
load(":require_platforms.bzl", "require_platforms")

visibility("public")

_FRAMEWORK = "TensorFlowCore"

def _framework_impl(ctx):
    """The shared library of the framework for one platform, with all registrations: an app needs no -force_load."""
    info = ctx.attr.library[TfMobileLibraryInfo]
    linked = link(
        cc_tools(ctx),
        name = "%s/%s" % (ctx.label.name, _FRAMEWORK),
        output_type = "dynamic_library",
        contexts = info.linked,
        flags = framework_flags(name = _FRAMEWORK, exports = ctx.file._exports),
        inputs = [ctx.file._exports],
    )
    return [info, DefaultInfo(files = depset([linked]))]

_framework = rule(
    implementation = _framework_impl,
    cfg = canonical_config,
    fragments = ["cpp"],
    toolchains = CC_TOOLCHAINS,
    attrs = CC_TOOLCHAIN_ATTRS | CANONICAL_CONFIG_ATTRS | TRANSITION_ATTRS | {
        "library": attr.label(mandatory = True, providers = [TfMobileLibraryInfo]),
        "_exports": attr.label(default = "//tools/swift:exports.txt", allow_single_file = True),
    },
)

def _swift_package_impl(ctx):
    output = declare_folder(ctx, ctx.attr.module)
    args = ctx.actions.args()
    args.add("swift-package")
    libraries = []
    for platform in ctx.attr.platforms:
        target = ctx.split_attr.library[platform]
        (library,) = target[DefaultInfo].files.to_list()
        libraries.append(library)
        args.add(ios_slice(PLATFORMS[platform], target[TfMobileLibraryInfo], library))
    args.add("--name", ctx.attr.module)
    args.add("--identifier", ctx.attr.identifier)
    args.add("--version", ctx.attr.version)
    args.add("--header", ctx.file._header)
    args.add_all(ctx.files._sources, before_each = "--source")
    args.add_all("-o", [output], expand_directories = False)
    run_tfcarve(
        ctx,
        args,
        inputs = libraries + [ctx.file._header] + ctx.files._sources,
        outputs = [output],
        mnemonic = "TfSwiftPackage",
        progress_message = "Packing %{output}",
    )
    return [DefaultInfo(files = depset([output]))]

_swift_package = rule(
    implementation = _swift_package_impl,
    attrs = TRANSITION_ATTRS | TFCARVE_ATTRS | {
        "identifier": attr.string(mandatory = True),
        "library": attr.label(cfg = each_platform, mandatory = True, providers = [TfMobileLibraryInfo]),
        "module": attr.string(mandatory = True),
        "platforms": attr.string_list(mandatory = True, allow_empty = False),
        "version": attr.string(mandatory = True),
        "_header": attr.label(default = "//tools/runtime/include:tfcarve_c_api.h", allow_single_file = True),
        "_sources": attr.label(default = "//tools/swift:sources"),
    },
)

def tf_swift_package(
        name,
        library,
        identifier,
        module = "TensorFlowCarved",
        version = "1.0",
        platforms = ["ios_arm64", "ios_sim_arm64", "ios_sim_x86_64"],
        **kwargs):
    """Packs a tf_mobile_library into a Swift package, <name>/<module>.

    The package has a framework with the library, for devices and simulators, and a Swift module with the classes Session and
    Tensor. Registrations are kept when the framework is linked, so an app needs no linker flags. The framework has a module map
    and a privacy manifest, which declares the functions of Apple's list that the library calls.

    Args:
      name: of the target.
      library: a tf_mobile_library.
      identifier: bundle identifier of the framework, for example "org.example.TensorFlowCore".
      module: name of the Swift module and of the package.
      version: of the framework.
      platforms: iOS platforms from //rules/platforms.
      **kwargs: common attributes.
    """
    require_platforms("tf_swift_package " + name, platforms, "ios")
    _framework(name = name + "_framework", library = library, **(kwargs | {"tags": ["manual"]}))
    _swift_package(
        name = name,
        library = name + "_framework",
        identifier = identifier,
        module = module,
        version = version,
        platforms = platforms,
        **kwargs
    )
