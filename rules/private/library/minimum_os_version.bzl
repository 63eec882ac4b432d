"""The oldest system that a library runs on: the app's toolchain decides, within what is possible."""

load("@bazel_tools//tools/build_defs/cc:action_names.bzl", "ACTION_NAMES")
load("@rules_cc//cc:defs.bzl", "cc_common")
load("//rules/platforms:table.bzl", "PLATFORMS")

visibility(["//rules/private/..."])

_VERSIONED = ["-androideabi", "-android", "-apple-ios"]

_ADVICE = {
    "android": "give rules_android_ndk's extension `api_level = %s` or higher in your MODULE.bazel",
    "ios": "build with --ios_minimum_os=%s or newer",
}

_CALLED = {
    "android": "API level %s",
    "ios": "iOS %s",
}

def lowest(row):
    """The oldest system that a library can be built for, or "" where there is none.

    Args:
      row: of the platforms' table.

    Returns:
      string, an API level of Android or a version of iOS
    """
    return _version(row.triple)

def minimum_os_version(cc, platform):
    """The oldest system that what a toolchain compiles runs on.

    Args:
      cc: from cc_tools.
      platform: name of a row of the platforms' table, or "".

    Returns:
      string, an API level of Android ("24") or a version of iOS ("13.0"); "" where the toolchain
      does not tell, and for Linux. Fails where it is older than any that a library can be built for.
    """
    row = PLATFORMS.get(platform)
    if not row or not lowest(row):
        return ""
    told = _version(_target(_compile_flags(cc)))
    if told and _numbers(told) < _numbers(lowest(row)):
        fail("%s: the C++ toolchain for %s compiles for %s; the lowest that there is a library for is %s: %s" % (
            cc.label,
            platform,
            _CALLED[row.os] % told,
            lowest(row),
            _ADVICE[row.os] % lowest(row),
        ))
    return told

def newest(versions):
    """The newest of some systems.

    Args:
      versions: list of strings as minimum_os_version gives them, none of them empty.

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
    """The triple that clang is told; "" where it is told none. The last one counts."""
    told = ""
    for before, flag in zip([""] + flags, flags):
        if flag.startswith("--target="):
            told = flag.removeprefix("--target=")
        elif before in ["-target", "--target"]:
            told = flag
    return told

def _version(triple):
    """The digits and dots behind the system of a triple such as arm64-apple-ios14.0-simulator."""
    for mark in _VERSIONED:
        before, _, after = triple.partition(mark)
        if before != triple:
            return after.partition("-")[0]
    return ""

def _numbers(version):
    return [int(part) for part in version.split(".")]
