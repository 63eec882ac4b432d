"""How everything that ends in a carved library is compiled."""

load("@tfcarve_tensorflow//:release.bzl", "DEFINES", "ROOT")

visibility("public")

# Third-party sources and TensorFlow alike: small code, each function in a section of its own so
# that the linker can drop it, nothing exported but what says so.
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

_WITHOUT_RTTI = [
    "-fno-rtti",
    "-DGOOGLE_PROTOBUF_NO_RTTI",
]

PROTOBUF_COPTS = LIBRARY_COPTS + ["-DHAVE_PTHREAD"] + _WITHOUT_RTTI

MATH_COPTS = LIBRARY_COPTS + _WITHOUT_RTTI

# Inner loops: for speed, whatever the rest is compiled for. Their registers are used up by what is unrolled in
# the source: neither unrolling more nor GCC's moving of loads ahead of their use leaves any. They are written with
# vectors: what clang makes vectors of besides are the leftovers of a few elements, 8 kB of them on x86-64.
LOOPS_COPTS = MATH_COPTS + [
    "-O2",
    "-fno-unroll-loops",
    "-fno-schedule-insns",
    "-fno-tree-vectorize",
]

# What TensorFlow logs and reports names its sources: by their names, not by where they are unpacked.
_SHORT_NAMES = ["-fmacro-prefix-map=%s/=" % ROOT]

# With these come the flags of @tfcarve_tensorflow//:precompiled_headers, which all sources include first.
TENSORFLOW_COPTS = (
    LIBRARY_COPTS +
    _WITHOUT_RTTI +
    _SHORT_NAMES +
    ["-D" + define for define in DEFINES if define != "NDEBUG"] +
    # Eigen's product kernels for 4 accumulators: with the default, 8, an assertion in TensorFlow's
    # convolution fails to compile for Arm.
    ["-DEIGEN_NEON_GEBP_NR=4"]
)
