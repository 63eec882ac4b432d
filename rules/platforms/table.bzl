"""The platforms that libraries are built for: one row each."""

visibility(["//rules/...", "//tests/..."])

# The levels of x86-64's psABI above the first. Since 2009, 2013 (AVX2, FMA) and 2017 (AVX-512), by Intel.
_X86_64_LEVELS = {
    "x86-64-v2": ["-march=x86-64-v2"],
    "x86-64-v3": ["-march=x86-64-v3"],
    "x86-64-v4": [
        "-march=x86-64-v4",
        # Eigen's own products for AVX-512 pack matrices by a specialisation that is ambiguous with TensorFlow's for
        # convolutions; without them Eigen's general product uses the registers.
        "-DEIGEN_USE_AVX512_GEMM_KERNELS=0",
    ],
}

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

def _android(*, cpu, triple, abi, flags = [], cpus = {}):
    """A row for Android, built by the NDK's clang.

    Args:
      cpu: value of @platforms//cpu.
      triple: the NDK's, with the lowest API level that the library runs on.
      abi: the folder of an APK that libraries for this CPU are in.
      flags: the compiler's flags for the CPUs that the ABI is for.
      cpus: dict, as in _linux: others, not all of which the ABI is for.

    Returns:
      struct, see PLATFORMS.
    """
    return struct(
        os = "android",
        cpu = cpu,
        constraints = ["@platforms//os:android", "@platforms//cpu:" + cpu],
        triple = triple,
        cpus = {abi: flags} | cpus,
        cross = None,
        shared_library = "libtensorflow-core.so",
        missing_toolchain = "register the NDK's toolchains in your MODULE.bazel: rules_android_ndk, " +
                            "with ANDROID_NDK_HOME or `path` naming the NDK",
    )

def _ios(*, cpu, triple, environment):
    """A row for iOS, built by Xcode's clang.

    Args:
      cpu: value of @platforms//cpu.
      triple: with the oldest iOS that the library runs on.
      environment: "device" or "simulator".

    Returns:
      struct, see PLATFORMS.
    """
    return struct(
        os = "ios",
        cpu = cpu,
        constraints = [
            "@platforms//os:ios",
            "@platforms//cpu:" + cpu,
            "//rules/platforms:" + environment,
        ],
        triple = triple,
        cpus = {cpu: []},
        cross = None,
        # An app links the archive: it comes in an xcframework.
        shared_library = None,
        missing_toolchain = "build on a Mac with Xcode and register apple_support's toolchains in your MODULE.bazel",
    )

# Fields of a row:
#   os                 which link fragments fit: "linux", "android" or "ios"
#   cpu                value of @platforms//cpu
#   constraints        labels of the constraint values that make the platform
#   triple             the target as compilers call it
#   cpus               dict, CPU name to list of compiler flags; the first is the default
#   cross              struct(package, bazel_cpu) of Debian's cross compiler; None where apps register a toolchain
#   shared_library     file name of the shared library; None where there is none
#   missing_toolchain  how to get a toolchain
PLATFORMS = {
    "android_arm64": _android(cpu = "aarch64", triple = "aarch64-linux-android24", abi = "arm64-v8a"),
    "android_armv7": _android(
        cpu = "armv7",
        triple = "armv7a-linux-androideabi24",
        abi = "armeabi-v7a",
        # As the NDK's own build systems do: clang's own choice for this triple is ARM's code, half as large again.
        flags = ["-mfpu=neon", "-mthumb"],
    ),
    "android_x86": _android(cpu = "x86_32", triple = "i686-linux-android24", abi = "x86"),
    "android_x86_64": _android(
        cpu = "x86_64",
        triple = "x86_64-linux-android24",
        abi = "x86_64",
        # The ABI has what the second has.
        cpus = {"x86-64-v3": _X86_64_LEVELS["x86-64-v3"]},
    ),
    "ios_arm64": _ios(cpu = "aarch64", triple = "arm64-apple-ios13.0", environment = "device"),
    "ios_sim_arm64": _ios(cpu = "aarch64", triple = "arm64-apple-ios14.0-simulator", environment = "simulator"),
    "ios_sim_x86_64": _ios(cpu = "x86_64", triple = "x86_64-apple-ios13.0-simulator", environment = "simulator"),
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
                # NEON flushes denormal numbers: without this GCC uses it for no floats.
                "-funsafe-math-optimizations",
                # The rest of what that flag allows changes results: (x + c) - c, by which a float is rounded, becomes x.
                "-fno-associative-math",
                "-fno-reciprocal-math",
                "-fsigned-zeros",
                "-ftree-vectorize",
                # All of a library is compiled by one compiler: what GCC 7 changed is no news.
                "-Wno-psabi",
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
        cpus = {"x86-64": []} | _X86_64_LEVELS,
    ),
}
