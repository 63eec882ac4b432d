"""How everything that ends in a carved library is compiled."""

load("//third_party/tensorflow:defines.bzl", "DEFINES")

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
    "-fvisibility=hidden",
    "-fvisibility-inlines-hidden",
    "-w",
]

# g++ 12 and later no longer include these headers by the way, as TensorFlow 2.14's sources expect.
_INCLUDED_BY_OLDER_COMPILERS = [
    "-include",
    "cstdint",
    "-include",
    "limits",
    "-include",
    "optional",
]

TENSORFLOW_COPTS = (
    LIBRARY_COPTS +
    ["-D" + define for define in DEFINES if define != "NDEBUG"] +
    # Eigen's product kernels for 4 accumulators: with the default, 8, an assertion in TensorFlow's
    # convolution fails to compile for Arm.
    ["-DEIGEN_NEON_GEBP_NR=4"] +
    _INCLUDED_BY_OLDER_COMPILERS
)
