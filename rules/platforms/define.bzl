"""Declares the platform(), config_setting() and toolchain() targets of the table."""

load(":table.bzl", "PLATFORMS")

visibility("private")

_EXEC_CPUS = ["aarch64", "x86_64"]

# buildifier: disable=unnamed-macro
def define_platforms():
    """For each row: platform `<name>`, config_setting `is_<name>`, toolchains `<name>_on_<cpu>_toolchain`.

    A Linux machine builds for its own CPU with the compiler that Bazel finds, so it has no such toolchain.
    """
    for name, row in PLATFORMS.items():
        native.platform(name = name, constraint_values = row.constraints)
        native.config_setting(name = "is_" + name, constraint_values = row.constraints)
        for cpu in _EXEC_CPUS:
            if row.os == "linux" and row.cpu == cpu:
                continue
            native.toolchain(
                name = "%s_on_%s_toolchain" % (name, cpu),
                exec_compatible_with = ["@platforms//cpu:" + cpu],
                target_compatible_with = row.constraints,
                toolchain = "@tfcarve_cross//{}:cc_toolchain".format(name),
                toolchain_type = "@bazel_tools//tools/cpp:toolchain_type",
            )
