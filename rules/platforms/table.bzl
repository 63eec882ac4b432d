"""The platforms that libraries are built for: one row each."""

visibility(["//rules/...", "//tests/..."])

def _linux(*, cpu, triple, package, bazel_cpu, cpus):
    """A row for Linux, built by the machine's own compiler or by Debian's cross compiler.

    Args:
      cpu: value of @platforms//cpu.
      triple: prefix of the cross compiler's programs.
      package: Debian's package of it.
      bazel_cpu: Bazel's older name of the CPU, for toolchains.
      cpus: dict, name of a CPU to the compiler's flags for it; the first is the default.

    Returns:
      struct, see PLATFORMS.
    """
    return struct(
        os = "linux",
        cpu = cpu,
        constraints = ["@platforms//os:linux", "@platforms//cpu:" + cpu],
        triple = triple,
        cpus = cpus,
        cross = struct(package = package, bazel_cpu = bazel_cpu),
        shared_library = "libtensorflow-core.so",
        missing_toolchain = "{0}-g++ is not on PATH; try: sudo apt-get install {1}".format(triple, package),
    )

# Fields of a row:
#   os                 which link fragments fit: "linux", "android" or "ios"
#   cpu                value of @platforms//cpu
#   constraints        labels of the constraint values that make the platform
#   triple             the target as compilers call it
#   cpus               dict, CPU name to list of compiler flags; the first is the default
#   cross              struct(package, bazel_cpu) of Debian's cross compiler; None where apps register a toolchain
#   shared_library     file name of the shared library; None where there is none
#   missing_toolchain  what to tell those who have no toolchain for it
PLATFORMS = {
    "linux_arm64": _linux(
        cpu = "aarch64",
        triple = "aarch64-linux-gnu",
        package = "g++-aarch64-linux-gnu",
        bazel_cpu = "aarch64",
        cpus = {
            # Raspberry Pi 3, 4 and 5; the first also runs on the others.
            "cortex-a53": ["-mcpu=cortex-a53"],
            "cortex-a72": ["-mcpu=cortex-a72"],
            "cortex-a76": ["-mcpu=cortex-a76"],
        },
    ),
    # Raspberry Pi OS 32-bit.
    "linux_armv7": _linux(
        cpu = "armv7",
        triple = "arm-linux-gnueabihf",
        package = "g++-arm-linux-gnueabihf",
        bazel_cpu = "armv7",
        cpus = {
            name: [
                "-mcpu=" + name,
                "-mfpu=" + fpu,
                # NEON flushes denormal numbers: without this no compiler uses it for floats.
                "-funsafe-math-optimizations",
                "-ftree-vectorize",
            ]
            # Raspberry Pi 2, 3 and 4. Code for the later two is ARMv8's: a Pi 2 stops at it.
            for name, fpu in {
                "cortex-a7": "neon-vfpv4",
                "cortex-a53": "neon-fp-armv8",
                "cortex-a72": "neon-fp-armv8",
            }.items()
        },
    ),
    "linux_x86_64": _linux(
        cpu = "x86_64",
        triple = "x86_64-linux-gnu",
        package = "g++-x86-64-linux-gnu",
        bazel_cpu = "k8",
        cpus = {"x86-64": []},
    ),
}
