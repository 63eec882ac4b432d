"""tf_android_archive: an AAR for Gradle with a carved library and the Java classes that use it."""

load("//rules:providers.bzl", "TensorFlowInfo", "TfMobileLibraryInfo")
load("//rules/platforms:table.bzl", "PLATFORMS")
load("//rules/private/cc:objects.bzl", "CC_TOOLCHAINS", "CC_TOOLCHAIN_ATTRS", "cc_tools", "link", "strip")
load("//rules/private/config:canonical_config.bzl", "CANONICAL_CONFIG_ATTRS", "canonical_config")
load("//rules/private/config:transitions.bzl", "TRANSITION_ATTRS", "each_platform", "java_interface")
load("//rules/private/library:minimum_os_version.bzl", "lowest", "newest")
load("//rules/private/library:system_linker.bzl", "shared_library_flags")
load("//rules/private/outputs:declare.bzl", "declare")
load("//rules/private/tensorflow:release.bzl", "TENSORFLOW_ATTRS")
load("//rules/private/tfcarve:run_tfcarve.bzl", "TFCARVE_ATTRS", "run_tfcarve", "system_tool")
load(":require_platforms.bzl", "require_platforms")

visibility("public")

# The classes of eager execution; TensorFlow's mobile libraries do not have their C++ code.
_WITHOUT = [
    "org.tensorflow.EagerOperation",
    "org.tensorflow.EagerOperationBuilder",
    "org.tensorflow.EagerSession",
]

def _library_name(info):
    """The name that the Java classes load the shared library by, without "lib" and ".so"."""
    return "tensorflowlite_flex_jni" if info.flex else "tensorflow_inference"

def _c_interface(info):
    """Flags that link the object of the C interface from its archive, and keep the manifest if it is not exported."""
    names = ["tflite_plugin_create_delegate", "tfcarve_manifest"] if info.flex else ["tfcarve_session_new"]
    return ["-Wl,--undefined=" + name for name in names]

def _jni_library_impl(ctx):
    cc = cc_tools(ctx)
    (library,) = ctx.attr.library  # in the configuration of java_interface
    info = library[TfMobileLibraryInfo]
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
        contexts = info.with_java,
        flags = flags + _c_interface(info),
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
        "library": attr.label(cfg = java_interface, mandatory = True, providers = [TfMobileLibraryInfo]),
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
    if infos[0].flex:
        args.add_all(tensorflow.flex_java, before_each = "--source")
        args.add_all(tensorflow.lite_java, before_each = "--stub")
        java = depset(tensorflow.flex_java + tensorflow.lite_java)
    else:
        args.add_all(tensorflow.inference_interface, before_each = "--source")
        args.add(tensorflow.root, format = "--source-path=%s/tensorflow/java/src/main/java")
        args.add_all(ctx.files._stubs, before_each = "--stub")
        args.add_all(_WITHOUT, before_each = "--without")
        java = depset(ctx.files._stubs, transitive = [tensorflow.java_sources])
    args.add("-o", output)
    run_tfcarve(
        ctx,
        args,
        inputs = depset(libraries, transitive = [java]),
        outputs = [output],
        mnemonic = "TfAar",
        progress_message = "Packing %{output}",
        system_tools = {"JAVAC": ctx.files._javac},
    )
    return [DefaultInfo(files = depset([output]))]

_android_archive = rule(
    implementation = _android_archive_impl,
    attrs = TENSORFLOW_ATTRS | TRANSITION_ATTRS | TFCARVE_ATTRS | {
        "library": attr.label(cfg = each_platform, mandatory = True, providers = [TfMobileLibraryInfo]),
        "package": attr.string(mandatory = True),
        "platforms": attr.string_list(mandatory = True, allow_empty = False),
        "_javac": system_tool("javac"),
        "_stubs": attr.label(default = "//tools/android:stubs"),
    },
)

def tf_android_archive(
        name,
        library,
        package,
        platforms = ["android_arm64", "android_armv7", "android_x86", "android_x86_64"],
        **kwargs):
    """Packs a tf_mobile_library or a tf_flex_delegate into <name>/<name>.aar.

    For a tf_mobile_library the AAR has TensorFlowInferenceInterface (feed, run, fetch, stats) with the classes that it uses,
    and for each ABI a libtensorflow_inference.so that also exports tfcarve's C interface. For a tf_flex_delegate it has
    FlexDelegate and libtensorflowlite_flex_jni.so, and replaces TensorFlow Lite's package tensorflow-lite-select-tf-ops.
    The build fails if Android would reject a library, or if a library lacks the function of a native method. javac of
    a JDK must be on PATH.

    Args:
      name: of the target.
      library: a tf_mobile_library or a tf_flex_delegate.
      package: Java package in the AAR's manifest, for example "org.example.tensorflow".
      platforms: Android platforms from //rules/platforms.
      **kwargs: common attributes.
    """
    require_platforms("tf_android_archive " + name, platforms, "android")
    _jni_library(name = name + "_jni", library = library, **(kwargs | {"tags": ["manual"]}))
    _android_archive(name = name, library = name + "_jni", package = package, platforms = platforms, **kwargs)
