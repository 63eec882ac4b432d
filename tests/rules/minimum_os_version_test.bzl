"""Analysis tests of the minimum OS version, which is read from the toolchain's flags."""

load("@bazel_skylib//lib:unittest.bzl", "analysistest", "asserts")
load("@rules_cc//cc:defs.bzl", "cc_toolchain")
load("//rules:defs.bzl", "TfMobileLibraryInfo")
load("//rules/platforms:table.bzl", "PLATFORMS")
load("//tests/toolchains:config.bzl", "stand_in_config")
load(":link_facts.bzl", "link_facts")

# Name -> platform, and the toolchain's flags that contain the target.
_TOOLCHAINS = {
    "android_19": ("android_arm64", ["--target=aarch64-linux-android19"]),
    "android_26": ("android_armv7", ["--target=armv7a-linux-androideabi26"]),
    "android_28": ("android_arm64", ["--target=aarch64-linux-android28"]),
    "android_30": ("android_x86_64", ["--target=x86_64-linux-android30"]),
    "android_unversioned": ("android_arm64", ["--target=aarch64-linux-android"]),
    # Like Apple's toolchain, with an SDK.
    "ios_sdk": ("ios_arm64", ["-target", "arm64-apple-ios15.0", "-isysroot", "/sdk"]),
    "ios_12": ("ios_arm64", ["-target", "arm64-apple-ios12.0"]),
    "ios_sim_15": ("ios_sim_arm64", ["-target", "arm64-apple-ios15.4-simulator"]),
}

# buildifier: disable=unnamed-macro
def define_toolchains():
    """Defines a toolchain `<name>` for each row of _TOOLCHAINS. Nothing is compiled with them."""
    for name, (platform, flags) in _TOOLCHAINS.items():
        row = PLATFORMS[platform]
        stand_in_config(
            name = name + "_config",
            compile_flags = flags,
            cpu = platform,
            os = row.os,
            tags = ["manual"],
            tools = {
                tool: "/bin/false"
                for tool in ["ar", "cpp", "gcc", "gcov", "ld", "nm", "objcopy", "objdump", "strip"]
            },
            triple = platform,
        )
        cc_toolchain(
            name = name + "_cc",
            all_files = ":no_files",
            compiler_files = ":no_files",
            dwp_files = ":no_files",
            linker_files = ":no_files",
            objcopy_files = ":no_files",
            strip_files = ":no_files",
            tags = ["manual"],
            toolchain_config = name + "_config",
        )
        native.toolchain(
            name = name,
            target_compatible_with = row.constraints,
            toolchain = name + "_cc",
            toolchain_type = "@bazel_tools//tools/cpp:toolchain_type",
        )

def toolchain_settings(name):
    """Returns the build settings that select a toolchain of define_toolchains().

    Args:
      name: the toolchain's name.

    Returns:
      dict, the config_settings of analysistest.make.
    """
    return {
        "//command_line_option:extra_toolchains": str(Label("//tests/rules:" + name)),
        "//command_line_option:platforms": str(Label("//rules/platforms:" + _TOOLCHAINS[name][0])),
    }

def _version(expected):
    def impl(ctx):
        env = analysistest.begin(ctx)
        target = analysistest.target_under_test(env)
        asserts.equals(env, expected, target[TfMobileLibraryInfo].minimum_os_version)
        asserts.equals(env, expected, link_facts(env)["minimum_os_version"])
        return analysistest.end(env)

    return impl

def _refused(message):
    def impl(ctx):
        env = analysistest.begin(ctx)
        asserts.expect_failure(env, message)
        return analysistest.end(env)

    return impl

android_26_test = analysistest.make(_version("26"), config_settings = toolchain_settings("android_26"))

android_unversioned_test = analysistest.make(_version(""), config_settings = toolchain_settings("android_unversioned"))

ios_sim_15_test = analysistest.make(_version("15.4"), config_settings = toolchain_settings("ios_sim_15"))

linux_test = analysistest.make(_version(""))

_RELOCATIONS = ["-Wl,--pack-dyn-relocs=android", "-Wl,--pack-dyn-relocs=android+relr", "-Wl,--use-android-relr-tags"]

def _relocated(expected):
    """Checks the flags for the relocation format of Android's linker."""

    def impl(ctx):
        env = analysistest.begin(ctx)
        output = analysistest.target_under_test(env)[TfMobileLibraryInfo].unstripped_library
        (link,) = [a for a in analysistest.target_actions(env) if output in a.outputs.to_list()]
        asserts.equals(env, expected, [flag for flag in link.argv if flag in _RELOCATIONS])
        return analysistest.end(env)

    return impl

_OLD = ["-Wl,--pack-dyn-relocs=android"]

android_26_relocations_test = analysistest.make(_relocated(_OLD), config_settings = toolchain_settings("android_26"))

android_28_relocations_test = analysistest.make(
    _relocated(["-Wl,--pack-dyn-relocs=android+relr", "-Wl,--use-android-relr-tags"]),
    config_settings = toolchain_settings("android_28"),
)

android_30_relocations_test = analysistest.make(
    _relocated(["-Wl,--pack-dyn-relocs=android+relr"]),
    config_settings = toolchain_settings("android_30"),
)

android_unversioned_relocations_test = analysistest.make(
    _relocated(_OLD),
    config_settings = toolchain_settings("android_unversioned"),
)

linux_relocations_test = analysistest.make(_relocated([]))

def _packed(mnemonic, expected):
    """Checks the minimum OS version on the command line of a packaging action."""

    def impl(ctx):
        env = analysistest.begin(ctx)
        (argv,) = [a.argv for a in analysistest.target_actions(env) if a.mnemonic == mnemonic]
        asserts.true(env, expected in " ".join(argv), "%s is not in %s" % (expected, argv))
        return analysistest.end(env)

    return impl

aar_26_test = analysistest.make(_packed("TfAar", " --api-level 26 "), config_settings = toolchain_settings("android_26"))

xcframework_15_test = analysistest.make(
    _packed("TfXcframework", " ios-simulator:arm64:15.4=bazel-out/"),
    config_settings = toolchain_settings("ios_sim_15"),
)

swift_package_15_test = analysistest.make(
    _packed("TfSwiftPackage", " ios-simulator:arm64:15.4=bazel-out/"),
    config_settings = toolchain_settings("ios_sim_15"),
)

android_19_test = analysistest.make(
    _refused(
        "the C++ toolchain for android_arm64 compiles for API level 19; libraries need at least " +
        "24: set `api_level = 24` or higher in rules_android_ndk's extension",
    ),
    expect_failure = True,
    config_settings = toolchain_settings("android_19"),
)

ios_12_test = analysistest.make(
    _refused(
        "the C++ toolchain for ios_arm64 compiles for iOS 12.0; libraries need at least 13.0: " +
        "build with --ios_minimum_os=13.0 or newer",
    ),
    expect_failure = True,
    config_settings = toolchain_settings("ios_12"),
)
