"""tf_android_archive: an AAR for Gradle with a carved library and the Java classes that use it."""

load("//rules:providers.bzl", "TensorFlowInfo", "TfMobileLibraryInfo")
load("//rules/platforms:table.bzl", "PLATFORMS")
load("//rules/private/cc:objects.bzl", "CC_TOOLCHAINS", "CC_TOOLCHAIN_ATTRS", "cc_tools", "link", "strip")
load("//rules/private/config:canonical_config.bzl", "CANONICAL_CONFIG_ATTRS", "canonical_config")
load("//rules/private/config:transitions.bzl", "TRANSITION_ATTRS", "each_platform")
load("//rules/private/library:minimum_os_version.bzl", "lowest", "newest")
load("//rules/private/library:system_linker.bzl", "shared_library_flags")
load("//rules/private/outputs:declare.bzl", "declare", "declare_folder")
load("//rules/private/tensorflow:release.bzl", "TENSORFLOW_ATTRS")
load("//rules/private/tfcarve:run_tfcarve.bzl", "TFCARVE_ATTRS", "run_tfcarve", "system_tool")
load(":require_platforms.bzl", "require_platforms")

visibility("public")

def _library_name(info):
    """The name that the Java classes load the shared library by, without "lib" and ".so"."""
    return "tensorflowlite_flex_jni" if info.flex else "tensorflow_inference"

def _jni_library_impl(ctx):
    cc = cc_tools(ctx)
    info = ctx.attr.library[TfMobileLibraryInfo]
    name = _library_name(info)
    exports = ctx.file._flex_exports if info.flex else ctx.file._exports
    flags = shared_library_flags(
        "android",
        soname = "lib%s.so" % name,
        exports = exports,
        minimum_os_version = info.minimum_os_version,
    )
    unstripped = link(
        cc,
        name = "%s/%s" % (ctx.label.name, name),
        output_type = "dynamic_library",
        contexts = [info.java_natives] + info.linked,
        # A delegate does not export its manifest.
        flags = flags + (["-Wl,--undefined=tfcarve_manifest"] if info.flex else []),
        inputs = [exports],
    )
    stripped = declare(ctx, "stripped/lib%s.so" % name)
    strip(cc, output = stripped, library = unstripped)
    return [
        info,
        DefaultInfo(files = depset([stripped])),
        OutputGroupInfo(unstripped = depset([unstripped])),
    ]

_jni_library = rule(
    implementation = _jni_library_impl,
    cfg = canonical_config,
    fragments = ["cpp"],
    toolchains = CC_TOOLCHAINS,
    attrs = CC_TOOLCHAIN_ATTRS | CANONICAL_CONFIG_ATTRS | TRANSITION_ATTRS | {
        "library": attr.label(mandatory = True, providers = [TfMobileLibraryInfo]),
        "_exports": attr.label(default = "//tools/android:exports.lds", allow_single_file = True),
        "_flex_exports": attr.label(default = "//tools/runtime/flex:exports.lds", allow_single_file = True),
    },
)

def _android_archive_impl(ctx):
    tensorflow = ctx.attr._tensorflow[TensorFlowInfo]
    output = declare(ctx, ctx.label.name + ".aar")
    args = ctx.actions.args()
    args.add("aar")
    libraries = []
    infos = []
    for platform in ctx.attr.platforms:
        (library,) = ctx.split_attr.library[platform][DefaultInfo].files.to_list()
        libraries.append(library)
        infos.append(ctx.split_attr.library[platform][TfMobileLibraryInfo])
        args.add(library, format = PLATFORMS[platform].cpus.keys()[0] + "=%s")
    args.add("--name", libraries[0].basename)
    args.add("--package", ctx.attr.package)
    args.add("--api-level", newest([
        info.minimum_os_version or lowest(PLATFORMS[platform])
        for platform, info in zip(ctx.attr.platforms, infos)
    ]))
    flex = infos[0].flex
    sources = tensorflow.flex_java if flex else ctx.files._classes
    stubs = tensorflow.lite_java if flex else ctx.files._stubs
    args.add_all(sources, before_each = "--source")
    args.add_all(stubs, before_each = "--stub")
    args.add("-o", output)
    run_tfcarve(
        ctx,
        args,
        inputs = libraries + sources + stubs,
        outputs = [output],
        mnemonic = "TfAar",
        progress_message = "Packing %{output}",
        system_tools = {"JAVAC": ctx.files._javac},
    )
    repository = _maven(ctx, output, sources) if ctx.attr.coordinates else []
    return [DefaultInfo(files = depset([output] + repository))]

def _maven(ctx, aar, sources):
    """Writes a Maven repository with the AAR."""
    output = declare_folder(ctx, "maven")
    args = ctx.actions.args()
    args.add("maven", aar)
    args.add("--coordinates", ctx.attr.coordinates)
    args.add_all(sources, before_each = "--source")
    args.add_all("-o", [output], expand_directories = False)
    run_tfcarve(
        ctx,
        args,
        inputs = [aar] + sources,
        outputs = [output],
        mnemonic = "TfMaven",
        progress_message = "Writing %{output}",
    )
    return [output]

_android_archive = rule(
    implementation = _android_archive_impl,
    attrs = TENSORFLOW_ATTRS | TRANSITION_ATTRS | TFCARVE_ATTRS | {
        "coordinates": attr.string(),
        "library": attr.label(cfg = each_platform, mandatory = True, providers = [TfMobileLibraryInfo]),
        "package": attr.string(mandatory = True),
        "platforms": attr.string_list(mandatory = True, allow_empty = False),
        "_classes": attr.label(default = "//tools/java:classes"),
        "_javac": system_tool("javac"),
        "_stubs": attr.label(default = "//tools/android:stubs"),
    },
)

def tf_android_archive(
        name,
        library,
        package,
        platforms = ["android_arm64", "android_armv7", "android_x86", "android_x86_64"],
        coordinates = "",
        **kwargs):
    """Packs a tf_mobile_library or a tf_flex_delegate into <name>/<name>.aar.

    For a tf_mobile_library the AAR has the classes org.tfcarve.TfSession and TfTensor, the class TensorFlowInferenceInterface
    (feed, run, fetch) for apps that have been written for TensorFlow's package, and for each ABI a libtensorflow_inference.so
    that also exports tfcarve's C interface. For a tf_flex_delegate it has
    FlexDelegate and libtensorflowlite_flex_jni.so, and replaces TensorFlow Lite's package tensorflow-lite-select-tf-ops.
    The build fails if Android would reject a library, or if a library lacks the function of a native method. javac of
    a JDK must be on PATH.

    Args:
      name: of the target.
      library: a tf_mobile_library or a tf_flex_delegate.
      package: Java package in the AAR's manifest, for example "org.example.tensorflow".
      platforms: Android platforms from //rules/platforms.
      coordinates: GROUP:ARTIFACT:VERSION, for example "org.example:tensorflow:1.0": <name>/maven is then a Maven repository with
        the AAR, a POM and the Java sources.
      **kwargs: common attributes.
    """
    require_platforms("tf_android_archive " + name, platforms, "android")
    _jni_library(name = name + "_jni", library = library, **(kwargs | {"tags": ["manual"]}))
    _android_archive(name = name, library = name + "_jni", package = package, platforms = platforms, coordinates = coordinates, **kwargs)
