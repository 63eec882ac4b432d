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
    "-fno-unwind-tables",
    "-fvisibility=hidden",
    "-fvisibility-inlines-hidden",
    "-w",
]

# Messages are protobuf's MessageLite: no descriptors, reflection or text format, which would be a
# quarter of a library.
_LITE_PROTOBUF_COPTS = [
    "-fno-rtti",
    "-DGOOGLE_PROTOBUF_NO_RTTI",
]

LITE_PROTOBUF_COPTS = LIBRARY_COPTS + ["-DHAVE_PTHREAD"] + _LITE_PROTOBUF_COPTS

# For the header that all of TensorFlow's sources include first.
TENSORFLOW_HEADERS_COPTS = (
    LIBRARY_COPTS +
    _LITE_PROTOBUF_COPTS +
    ["-D" + define for define in DEFINES if define != "NDEBUG"] +
    # Eigen's product kernels for 4 accumulators: with the default, 8, an assertion in TensorFlow's
    # convolution fails to compile for Arm.
    ["-DEIGEN_NEON_GEBP_NR=4"]
)

TENSORFLOW_COPTS = TENSORFLOW_HEADERS_COPTS + [
    "-include",
    "tensorflow_headers.h",
]
