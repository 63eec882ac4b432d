"""Makes the platform() and toolchain() targets of the table."""

load(":table.bzl", "PLATFORMS")

visibility("private")

# buildifier: disable=unnamed-macro
def define_platforms():
    """One platform a row; for a row with a cross compiler also `<name>_toolchain`.

    The toolchain names its repository only by label. So a build that needs no cross compiler
    neither looks for one nor fails where there is none.
    """
    for name, row in PLATFORMS.items():
        native.platform(name = name, constraint_values = row.constraints)
        if row.cross:
            native.toolchain(
                name = name + "_toolchain",
                exec_compatible_with = ["@platforms//os:linux", "@platforms//cpu:x86_64"],
                target_compatible_with = row.constraints,
                toolchain = "@tfcarve_cross_{}//:cc_toolchain".format(name),
                toolchain_type = "@bazel_tools//tools/cpp:toolchain_type",
            )
