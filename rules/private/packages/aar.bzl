"""tf_android_archive: an AAR for Gradle with a carved library and TensorFlow's Java inference class."""

load("//rules:providers.bzl", "TensorFlowInfo", "TfMobileLibraryInfo")
load("//rules/platforms:table.bzl", "PLATFORMS")
load("//rules/private/config:canonical_config.bzl", "CANONICAL_CONFIG_ATTRS", "canonical_config")
load("//rules/private/config:transitions.bzl", "TRANSITION_ATTRS", "each_platform")
load("//rules/private/library:minimum_os_version.bzl", "lowest", "newest")
load("//rules/private/library:objects.bzl", "CC_TOOLCHAINS", "CC_TOOLCHAIN_ATTRS", "cc_tools", "link", "strip")
load("//rules/private/library:system_linker.bzl", "shared_library_flags")
load("//rules/private/tensorflow:release.bzl", "TENSORFLOW_ATTRS")
load("//rules/private/tfcarve:run_tfcarve.bzl", "TFCARVE_ATTRS", "run_tfcarve")
load(":require_platforms.bzl", "require_platforms")

visibility("public")

_LIBRARY = "libtensorflow_inference.so"

# Links the object of tfcarve's C interface from its archive.
_C_INTERFACE = ["-Wl,--undefined=tfcarve_session_new"]

# The classes of eager execution; TensorFlow's mobile libraries do not have their C++ code.
_WITHOUT = [
    "org.tensorflow.EagerOperation",
    "org.tensorflow.EagerOperationBuilder",
    "org.tensorflow.EagerSession",
]

def _jni_library_impl(ctx):
    cc = cc_tools(ctx)
    info = ctx.attr.library[TfMobileLibraryInfo]
    flags = shared_library_flags(
        "android",
        soname = _LIBRARY,
        exports = ctx.file._exports,
        minimum_os_version = info.minimum_os_version,
    )
    unstripped = link(
        cc,
        name = ctx.label.name + "/tensorflow_inference",
        output_type = "dynamic_library",
        contexts = info.with_java,
        flags = flags + _C_INTERFACE,
        inputs = [ctx.file._exports],
    )
    stripped = ctx.actions.declare_file("%s/stripped/%s" % (ctx.label.name, _LIBRARY))
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
    },
)

def _android_archive_impl(ctx):
    tensorflow = ctx.attr._tensorflow[TensorFlowInfo]
    output = ctx.actions.declare_file("%s/%s.aar" % (ctx.label.name, ctx.label.name))
    args = ctx.actions.args()
    args.add("aar")
    libraries = []
    for platform in ctx.attr.platforms:
        (library,) = ctx.split_attr.library[platform][DefaultInfo].files.to_list()
        libraries.append(library)
        args.add(library, format = PLATFORMS[platform].cpus.keys()[0] + "=%s")
    args.add("--package", ctx.attr.package)
    args.add("--api-level", newest([
        ctx.split_attr.library[platform][TfMobileLibraryInfo].minimum_os_version or lowest(PLATFORMS[platform])
        for platform in ctx.attr.platforms
    ]))
    args.add_all(tensorflow.inference_interface, before_each = "--source")
    args.add(tensorflow.root, format = "--source-path=%s/tensorflow/java/src/main/java")
    args.add(ctx.file._stub.path.removesuffix("/android/util/Log.java"), format = "--stubs=%s")
    args.add_all(_WITHOUT, before_each = "--without")
    args.add("-o", output)
    run_tfcarve(
        ctx,
        args,
        inputs = depset(libraries + ctx.files._stubs, transitive = [tensorflow.java_sources]),
        outputs = [output],
        mnemonic = "TfAar",
        progress_message = "Packing %{output}",
        # javac is found on PATH.
        use_default_shell_env = True,
    )
    return [DefaultInfo(files = depset([output]))]

_android_archive = rule(
    implementation = _android_archive_impl,
    attrs = TENSORFLOW_ATTRS | TRANSITION_ATTRS | TFCARVE_ATTRS | {
        "library": attr.label(cfg = each_platform, mandatory = True, providers = [TfMobileLibraryInfo]),
        "package": attr.string(mandatory = True),
        "platforms": attr.string_list(mandatory = True, allow_empty = False),
        "_stub": attr.label(default = "//tools/android:stubs/android/util/Log.java", allow_single_file = True),
        "_stubs": attr.label(default = "//tools/android:stubs"),
    },
)

def tf_android_archive(
        name,
        library,
        package,
        platforms = ["android_arm64", "android_armv7", "android_x86", "android_x86_64"],
        **kwargs):
    """Packs a tf_mobile_library into <name>/<name>.aar.

    The AAR has TensorFlowInferenceInterface (feed, run, fetch, stats) with the classes that it uses, and for each ABI a
    libtensorflow_inference.so that also exports tfcarve's C interface. The build fails if Android would reject a
    library, or if a library lacks the function of a native method. javac of a JDK must be on PATH.

    Args:
      name: of the target.
      library: a tf_mobile_library.
      package: Java package in the AAR's manifest, for example "org.example.tensorflow".
      platforms: Android platforms from //rules/platforms.
      **kwargs: common attributes.
    """
    require_platforms("tf_android_archive " + name, platforms, "android")
    _jni_library(name = name + "_jni", library = library, **(kwargs | {"tags": ["manual"]}))
    _android_archive(name = name, library = name + "_jni", package = package, platforms = platforms, **kwargs)
