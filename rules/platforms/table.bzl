"""The platforms that libraries are built for: one row each."""

visibility(["//rules/...", "//tests/..."])

# A row's `cross` says how Debian's cross compiler for it is called and packaged; rows without one
# are built by the toolchain that Bazel finds on the machine.
PLATFORMS = {
    "linux_arm64": struct(
        constraints = ["@platforms//os:linux", "@platforms//cpu:aarch64"],
        cross = struct(
            triple = "aarch64-linux-gnu",
            package = "g++-aarch64-linux-gnu",
            cpu = "aarch64",
            # Raspberry Pi 3 and newer.
            compile_flags = ["-mcpu=cortex-a53"],
        ),
    ),
    "linux_x86_64": struct(
        constraints = ["@platforms//os:linux", "@platforms//cpu:x86_64"],
        cross = None,
    ),
}
