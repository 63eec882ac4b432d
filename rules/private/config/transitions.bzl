"""The transitions of all rules, except the transition of a library's own options (canonical_config.bzl)."""

load("//rules/platforms:table.bzl", "PLATFORMS")
load(":canonical_config.bzl", "default_cpu_flags")
load(":host_platform.bzl", "HOST_PLATFORM_OPTION", "PLATFORMS_OPTION", "target_platform")

visibility(["//rules/private/..."])

_LIBRARY_COPTS = str(Label("//rules/config:library_copts"))

# A rule with a transition on an attribute or on itself needs this attribute.
TRANSITION_ATTRS = {
    "_allowlist_function_transition": attr.label(
        default = "@bazel_tools//tools/allowlists/function_transition_allowlist",
    ),
}

# A 1:N transition: a dependency built for each platform that the attribute `platforms` names.
each_platform = transition(
    implementation = lambda _settings, attr: {
        name: {PLATFORMS_OPTION: str(Label("//rules/platforms:" + name))}
        for name in attr.platforms
    },
    inputs = [],
    outputs = [PLATFORMS_OPTION],
)

def _of_platform_impl(settings, attr):
    if not attr.platform:
        return {PLATFORMS_OPTION: settings[PLATFORMS_OPTION]}
    return {PLATFORMS_OPTION: [str(Label("//rules/platforms:" + attr.platform))]}

# The platform that the attribute `platform` names, or the platform of the build.
of_platform = transition(
    implementation = _of_platform_impl,
    inputs = [PLATFORMS_OPTION],
    outputs = [PLATFORMS_OPTION],
)

_SOURCE_GROUPS = str(Label("//rules/config:source_groups"))

# For libraries of which each source has an object of its own.
separate_sources = transition(
    implementation = lambda _settings, _attr: {_SOURCE_GROUPS: False},
    inputs = [],
    outputs = [_SOURCE_GROUPS],
)

_DEFAULT_OPTIONS = {
    str(Label("//rules/config:hot_copts")): ["-O2"],
    _LIBRARY_COPTS: [],
    str(Label("//rules/config:log_kernel_sources")): False,
    str(Label("//rules/config:log_messages")): True,
    str(Label("//rules/config:protos")): "lite",
}

# For programs that run in the build. The exec configuration has the options of the library that it works for, and
# with them other output paths: a program would be compiled again for each set of options.
default_options = transition(
    implementation = lambda _settings, _attr: _DEFAULT_OPTIONS,
    inputs = [],
    outputs = _DEFAULT_OPTIONS.keys(),
)

_NO_OPTIONS = _DEFAULT_OPTIONS | {
    "//command_line_option:compilation_mode": "opt",
    "//command_line_option:force_pic": False,
    "//command_line_option:per_file_copt": [],
}

def _platform_and_cpu_impl(settings, _attr):
    platform = target_platform(settings)
    row = PLATFORMS.get(platform.name)
    cpu = [flag for flag in settings[_LIBRARY_COPTS] if not flag.startswith("-O")]

    # A library sets the flags of its default CPU, but a selection that is built alone does not: they share the index.
    return _NO_OPTIONS | {
        _LIBRARY_COPTS: [] if row and cpu == default_cpu_flags(row) else cpu,
        PLATFORMS_OPTION: [str(platform)],
    }

# For the kernel index. It depends on the platform and on one option of a library, the CPU. All libraries for a platform's
# default CPU share it.
platform_and_cpu = transition(
    implementation = _platform_and_cpu_impl,
    inputs = [_LIBRARY_COPTS, HOST_PLATFORM_OPTION, PLATFORMS_OPTION],
    outputs = _NO_OPTIONS.keys() + [PLATFORMS_OPTION],
)

_MODEL_CONFIG = _NO_OPTIONS | {
    PLATFORMS_OPTION: [str(Label("//rules/platforms:linux_x86_64"))],
}

# For models: they do not depend on platform or options, so each is prepared once.
model_config = transition(
    implementation = lambda _settings, _attr: _MODEL_CONFIG,
    inputs = [],
    outputs = _MODEL_CONFIG.keys(),
)
