"""The build machine's platform, by its name in the table."""

load("@tfcarve_system_tools//:host.bzl", "HOST_PLATFORM")

visibility(["//rules/private/config"])

# The names of the description that Bazel makes of the build machine: in Bazel 7, before, and in the module `platforms`.
_DETECTED = [
    "bazel_tools//tools:host_platform",
    "local_config_platform//:host",
    "platforms//host:host",
]

HOST_PLATFORM_OPTION = "//command_line_option:host_platform"
PLATFORMS_OPTION = "//command_line_option:platforms"

def target_platform(settings):
    """The platform that a build is for. If Bazel detected it on the build machine, it is replaced by the table's platform.

    Without the replacement, a library that is built without --platforms would have other output paths than a library that a
    tf_multi_platform_library builds for this platform, and their objects would be compiled twice.

    Args:
      settings: of a transition with the inputs HOST_PLATFORM_OPTION and PLATFORMS_OPTION.

    Returns:
      Label of the platform.
    """
    platforms = settings[PLATFORMS_OPTION]

    # Without --platforms, Bazel builds for the host platform.
    platform = platforms[0] if platforms else settings[HOST_PLATFORM_OPTION]
    is_detected = any([str(platform).endswith(name) for name in _DETECTED])
    return Label("//rules/platforms:" + HOST_PLATFORM) if HOST_PLATFORM and is_detected else platform
