"""The configuration that every carved library is built in; it does not depend on the app's own flags."""

load("//rules/platforms:table.bzl", "PLATFORMS")
load(":host_platform.bzl", "HOST_PLATFORM_OPTION", "PLATFORMS_OPTION", "target_platform")

visibility(["//rules/private/...", "//tests/rules"])

OPTIMIZATIONS = ["Oz", "Os", "O2", "O3"]
PROTOS = ["full", "lite"]

# For sources in which models spend their time. "Oz" is for the smallest library.
_HOT = {"Os": "O2"}

# Sources that set their own optimization, by path and by label.
_OWN_OPTIMIZATION = "tools/runtime[/:]math[/:]"

_COMPILATION_MODE = "//command_line_option:compilation_mode"
_FORCE_PIC = "//command_line_option:force_pic"
_HOT_COPTS = str(Label("//rules/config:hot_copts"))
_PER_FILE_COPT = "//command_line_option:per_file_copt"
_LIBRARY_COPTS = str(Label("//rules/config:library_copts"))
_LOG_MESSAGES = str(Label("//rules/config:log_messages"))
_PROTOS = str(Label("//rules/config:protos"))

def check_options(name, optimization, cpu, protos):
    """Fails if an option of a library has an unknown value.

    Args:
      name: of the library, for messages.
      optimization: one of OPTIMIZATIONS.
      cpu: a CPU of some platform, or "".
      protos: one of PROTOS.
    """
    if optimization not in OPTIMIZATIONS:
        fail("tf_mobile_library %s: unknown optimization %r; known values: %s" % (name, optimization, ", ".join(OPTIMIZATIONS)))
    if protos not in PROTOS:
        fail("tf_mobile_library %s: unknown protos %r; known values: %s" % (name, protos, ", ".join(PROTOS)))
    cpus = sorted({cpu: None for row in PLATFORMS.values() for cpu in row.cpus})
    if cpu and cpu not in cpus:
        fail("tf_mobile_library %s: unknown cpu %r; known values: %s" % (name, cpu, ", ".join(cpus)))

def default_cpu_flags(row):
    """The flags that a library for the default CPU adds to the flags of the toolchain.

    The cross toolchains have the flags of the default CPU; toolchains that apps register for other systems do not.

    Args:
      row: of the platforms' table.

    Returns:
      list of strings.
    """
    return [] if row.cross else row.cpus.values()[0]

def _canonical_config_impl(settings, attr):
    platform = target_platform(settings)
    row = PLATFORMS.get(platform.name)
    optimization = [] if attr.optimization == "Os" else ["-" + attr.optimization]
    cpu = []
    if row:
        # A library is built for several platforms; some do not have this CPU.
        cpu = row.cpus.get(attr.cpu, default_cpu_flags(row))
    return {
        _COMPILATION_MODE: "opt",
        # One set of objects serves the archive and the shared library. The NDK's toolchains always compile
        # position-independent code and reject the flag.
        _FORCE_PIC: not row or row.os != "android",
        # These flags come after the flags of copts.bzl, for all sources except the files of directories. For the files of
        # directories, the rules pass the settings below.
        _PER_FILE_COPT: (
            [".*,-%s@%s" % (_OWN_OPTIMIZATION, ",".join(optimization))] if optimization else []
        ) + ([".*@" + ",".join(cpu)] if cpu else []),
        _HOT_COPTS: ["-" + _HOT.get(attr.optimization, attr.optimization)] + cpu,
        _LIBRARY_COPTS: optimization + cpu,
        _LOG_MESSAGES: attr.log_messages,
        _PROTOS: attr.protos,
        PLATFORMS_OPTION: [str(platform)],
    }

canonical_config = transition(
    implementation = _canonical_config_impl,
    inputs = [HOST_PLATFORM_OPTION, PLATFORMS_OPTION],
    outputs = [_COMPILATION_MODE, _FORCE_PIC, _HOT_COPTS, _LIBRARY_COPTS, _LOG_MESSAGES, _PER_FILE_COPT, _PROTOS, PLATFORMS_OPTION],
)

CANONICAL_CONFIG_ATTRS = {
    "cpu": attr.string(doc = "The CPU, if the platform has it; else the platform's default."),
    "log_messages": attr.bool(default = True, doc = "Whether TensorFlow's log messages are compiled in."),
    "optimization": attr.string(default = "Os", doc = "One of OPTIMIZATIONS."),
    "protos": attr.string(default = "lite", doc = "One of PROTOS."),
}
