"""The compiler flags of all code in a carved library."""

visibility("public")

# For third-party sources and TensorFlow: small code, a section for each function so that the linker can drop it, and no
# exported symbols by default.
LIBRARY_COPTS = [
    "-std=c++17",
    "-Os",
    "-DNDEBUG",
    "-ffunction-sections",
    "-fdata-sections",
    "-fno-exceptions",
    "-fno-asynchronous-unwind-tables",
    "-fno-unwind-tables",
    "-fvisibility=hidden",
    "-fvisibility-inlines-hidden",
    "-w",
]

# The flags of sources in C. Toolchains compile as C++ unless a flag says otherwise.
LIBRARY_CONLYOPTS = [
    "-x",
    "c",
    "-std=gnu11",
] + [flag for flag in LIBRARY_COPTS if not flag.startswith("-std=")]

_WITHOUT_RTTI = [
    "-fno-rtti",
    "-DGOOGLE_PROTOBUF_NO_RTTI",
]

PROTOBUF_COPTS = LIBRARY_COPTS + ["-DHAVE_PTHREAD"] + _WITHOUT_RTTI

MATH_COPTS = LIBRARY_COPTS + _WITHOUT_RTTI

# Inner loops, always compiled for speed. The source unrolls them until all registers are used, so the compiler must not
# unroll further or move loads ahead. They use vector types; clang would vectorize only the remaining few elements, which
# costs 8 kB on x86-64.
LOOPS_COPTS = MATH_COPTS + [
    "-O2",
    "-fno-unroll-loops",
    "-fno-schedule-insns",
    "-fno-tree-vectorize",
]

# In addition, for 32-bit Arm. NEON flushes denormal numbers to zero, so GCC uses it for vectors of floats only with the first
# flag. The other flags disable the optimizations of the first flag that would change results otherwise. No other sources have
# these flags: TensorFlow's sources use NEON through Eigen's intrinsics.
ARMV7_LOOPS_COPTS = [
    "-funsafe-math-optimizations",
    "-fno-associative-math",
    "-fno-reciprocal-math",
    "-fsigned-zeros",
]

def tensorflow_copts(*, defines, root):
    """The flags of TensorFlow's sources.

    In addition, sources have the flags of the release's precompiled header, which they include first.

    Args:
      defines: list of strings, the release's macros.
      root: the root of the release's source tree, as actions see it.

    Returns:
      list of strings.
    """
    return (
        LIBRARY_COPTS +
        _WITHOUT_RTTI +
        # Log messages and errors of TensorFlow name source files: relative to the tree, not where it is unpacked.
        ["-fmacro-prefix-map=%s/=" % root] +
        ["-D" + define for define in defines if define != "NDEBUG"] +
        # Eigen's product kernels with 4 accumulators. With the default, 8, a static assertion in TensorFlow's convolution
        # fails for Arm.
        ["-DEIGEN_NEON_GEBP_NR=4"]
    )
