"""The platforms that libraries are built for, a row each."""

visibility(["//rules/...", "//tests/..."])

# The x86-64 levels of the psABI above the first: Intel CPUs since 2009, 2013 (AVX2, FMA) and 2017 (AVX-512).
_X86_64_LEVELS = {
    "x86-64-v2": ["-march=x86-64-v2"],
    "x86-64-v3": ["-march=x86-64-v3"],
    "x86-64-v4": [
        "-march=x86-64-v4",
        # A specialisation in Eigen's products for AVX-512 is ambiguous with TensorFlow's for convolutions. Without these
        # products, Eigen's general product uses AVX-512.
        "-DEIGEN_USE_AVX512_GEMM_KERNELS=0",
    ],
}

# TensorFlow's sources initialize Eigen's indices with 64-bit numbers in braces, which clang refuses if the indices have 32 bits.
_32_BIT_FLAGS = ["-Wno-narrowing"]

def _linux(*, cpu, triple, package, bazel_cpu, cpus):
    """A row for Linux, built with the machine's own compiler or with Debian's cross compiler.

    Args:
      cpu: value of @platforms//cpu.
      triple: prefix of the cross compiler's programs.
      package: Debian's package of it.
      bazel_cpu: Bazel's legacy name of the CPU, for toolchains.
      cpus: dict, CPU name to compiler flags; the first is the default.

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
    """A row for Android, built with the NDK's clang.

    Args:
      cpu: value of @platforms//cpu.
      triple: the NDK's, with the minimum API level.
      abi: the folder of an APK with libraries for this CPU.
      flags: compiler flags for all CPUs of the ABI.
      cpus: dict, CPU name to compiler flags: further CPUs, which not all devices of the ABI have.

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
        missing_toolchain = "register the NDK's toolchains in your MODULE.bazel, not in that of another module: " +
                            "rules_android_ndk, with ANDROID_NDK_HOME or `path` naming the NDK",
    )

def _ios(*, cpu, triple, environment):
    """A row for iOS, built with Xcode's clang.

    Args:
      cpu: value of @platforms//cpu.
      triple: with the minimum version of iOS.
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
        # Apps link the archive, from an xcframework.
        shared_library = None,
        missing_toolchain = "build on a Mac with Xcode and register apple_support's toolchains in your MODULE.bazel, " +
                            "not in that of another module",
    )

# Fields of a row:
#   os                 "linux", "android" or "ios"; decides which link fragments are written
#   cpu                value of @platforms//cpu
#   constraints        labels of the platform's constraint values
#   triple             target triple of compilers
#   cpus               dict, CPU name to list of compiler flags; the first is the default
#   cross              struct(package, bazel_cpu) of Debian's cross compiler; None if apps register a toolchain
#   shared_library     file name of the shared library; None if there is none
#   missing_toolchain  how to get a toolchain
PLATFORMS = {
    "android_arm64": _android(cpu = "aarch64", triple = "aarch64-linux-android24", abi = "arm64-v8a"),
    "android_armv7": _android(
        cpu = "armv7",
        triple = "armv7a-linux-androideabi24",
        abi = "armeabi-v7a",
        # As the NDK's build systems do. By default clang compiles Arm code for this triple, which is 50 % larger.
        flags = ["-mfpu=neon", "-mthumb"] + _32_BIT_FLAGS,
    ),
    "android_x86": _android(cpu = "x86_32", triple = "i686-linux-android24", abi = "x86", flags = _32_BIT_FLAGS),
    "android_x86_64": _android(
        cpu = "x86_64",
        triple = "x86_64-linux-android24",
        abi = "x86_64",
        # The ABI includes x86-64-v2.
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
            # Raspberry Pi 3, 4 and 5; code for the first also runs on the others.
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
                # One compiler compiles the whole library, so the ABI change of GCC 7 does not matter.
                "-Wno-psabi",
            ] + _32_BIT_FLAGS
            # Raspberry Pi 2, 3 and 4. Code for a Pi 3 or 4 uses ARMv8 instructions, which a Pi 2 does not have.
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
