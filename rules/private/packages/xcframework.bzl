"""tf_xcframework: an xcframework with a carved library for iOS devices and simulators."""

load("//rules:providers.bzl", "TfMobileLibraryInfo")
load("//rules/platforms:table.bzl", "PLATFORMS")
load("//rules/private/config:transitions.bzl", "TRANSITION_ATTRS", "each_platform")
load("//rules/private/outputs:declare.bzl", "declare_folder")
load("//rules/private/tfcarve:run_tfcarve.bzl", "TFCARVE_ATTRS", "run_tfcarve")
load(":ios_slice.bzl", "ios_slice")
load(":require_platforms.bzl", "require_platforms")

visibility("public")

def _xcframework_impl(ctx):
    libraries = {
        platform: ctx.split_attr.library[platform][TfMobileLibraryInfo]
        for platform in ctx.attr.platforms
    }

    # A Flex delegate has no header: the interpreter looks its functions up by name.
    flex = libraries[ctx.attr.platforms[0]].flex
    headers = [] if flex else ctx.files._c_api_headers
    name = "TensorFlowLiteSelectTfOps" if flex else "TensorFlowCore"
    archive = "libtensorflowlite_flex.a" if flex else "libtensorflow-core.a"
    output = declare_folder(ctx, name + ".xcframework")
    args = ctx.actions.args()
    args.add("xcframework")
    args.add_all([ios_slice(PLATFORMS[platform], library, library.static_library) for platform, library in libraries.items()])
    args.add("--name", archive)
    args.add_all(headers, before_each = "--header")
    args.add_all("-o", [output], expand_directories = False)
    run_tfcarve(
        ctx,
        args,
        inputs = [library.static_library for library in libraries.values()] + headers,
        outputs = [output],
        mnemonic = "TfXcframework",
        progress_message = "Packing %{output}",
    )
    return [DefaultInfo(files = depset([output]))]

_xcframework = rule(
    implementation = _xcframework_impl,
    attrs = TRANSITION_ATTRS | TFCARVE_ATTRS | {
        "library": attr.label(cfg = each_platform, mandatory = True, providers = [TfMobileLibraryInfo]),
        "platforms": attr.string_list(mandatory = True, allow_empty = False),
        "_c_api_headers": attr.label(default = "//tools/runtime/include:c_api_header_files"),
    },
)

def tf_xcframework(
        name,
        library,
        platforms = ["ios_arm64", "ios_sim_arm64", "ios_sim_x86_64"],
        **kwargs):
    """Packs a tf_mobile_library into <name>/TensorFlowCore.xcframework, or a tf_flex_delegate into <name>/TensorFlowLiteSelectTfOps.xcframework.

    The app links its libtensorflow-core.a or libtensorflowlite_flex.a with -force_load, because nothing references the objects
    with registrations.
    The build fails if an object was compiled for another CPU, for a simulator instead of a device or the reverse,
    or for a newer iOS.

    Args:
      name: of the target.
      library: a tf_mobile_library or a tf_flex_delegate.
      platforms: iOS platforms from //rules/platforms.
      **kwargs: common attributes.
    """
    require_platforms("tf_xcframework " + name, platforms, "ios")
    _xcframework(name = name, library = library, platforms = platforms, **kwargs)
