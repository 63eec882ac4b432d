"""The minimum OS version of a library: the version of the app's toolchain, if libraries can be built for it."""

load("@bazel_tools//tools/build_defs/cc:action_names.bzl", "ACTION_NAMES")
load("@rules_cc//cc:defs.bzl", "cc_common")
load("//rules/platforms:table.bzl", "PLATFORMS")

visibility(["//rules/private/..."])

_VERSIONED = ["-androideabi", "-android", "-apple-ios"]

_ADVICE = {
    "android": "set `api_level = %s` or higher in rules_android_ndk's extension in your MODULE.bazel",
    "ios": "build with --ios_minimum_os=%s or newer",
}

_CALLED = {
    "android": "API level %s",
    "ios": "iOS %s",
}

def lowest(row):
    """The lowest minimum OS version that libraries can be built for, or "" for Linux.

    Args:
      row: of the platforms' table.

    Returns:
      string, an API level of Android or a version of iOS
    """
    return _version(row.triple)

def minimum_os_version(cc, platform):
    """The minimum OS version that a toolchain compiles for.

    Args:
      cc: from cc_tools.
      platform: name of a row of the platforms' table, or "".

    Returns:
      string, an API level of Android ("24") or a version of iOS ("13.0"); "" for Linux, and if the toolchain
      does not say. Fails if it is lower than libraries can be built for.
    """
    row = PLATFORMS.get(platform)
    if not row or not lowest(row):
        return ""
    version = _version(_target(_compile_flags(cc)))
    if version and _numbers(version) < _numbers(lowest(row)):
        fail("%s: the C++ toolchain for %s compiles for %s; libraries need at least %s: %s" % (
            cc.label,
            platform,
            _CALLED[row.os] % version,
            lowest(row),
            _ADVICE[row.os] % lowest(row),
        ))
    return version

def newest(versions):
    """The highest of some minimum OS versions.

    Args:
      versions: list of strings from minimum_os_version, none of them empty.

    Returns:
      string
    """
    return sorted(versions, key = _numbers)[-1]

def _compile_flags(cc):
    return cc_common.get_memory_inefficient_command_line(
        feature_configuration = cc.features,
        action_name = ACTION_NAMES.cpp_compile,
        variables = cc_common.create_compile_variables(
            cc_toolchain = cc.toolchain,
            feature_configuration = cc.features,
        ),
    )

def _target(flags):
    """The target triple on clang's command line, the last one; "" if there is none."""
    triple = ""
    for before, flag in zip([""] + flags, flags):
        if flag.startswith("--target="):
            triple = flag.removeprefix("--target=")
        elif before in ["-target", "--target"]:
            triple = flag
    return triple

def _version(triple):
    """The digits and dots behind the system of a triple such as arm64-apple-ios14.0-simulator."""
    for mark in _VERSIONED:
        before, _, after = triple.partition(mark)
        if before != triple:
            return after.partition("-")[0]
    return ""

def _numbers(version):
    return [int(part) for part in version.split(".")]
