"""The macros that decide which kernels TensorFlow registers.

The kernel index is made with these and the library is compiled with these: where the two lists
differ, a selection names classes that the compiler never sees.
"""

DEFINES = [
    "EIGEN_AVOID_STL_ARRAY",
    "EIGEN_MPL2_ONLY",
    "IS_MOBILE_PLATFORM",
    "NDEBUG",
    "SELECTIVE_REGISTRATION",
    "SUPPORT_SELECTIVE_REGISTRATION",
    "TENSORFLOW_MONOLITHIC_BUILD",
    "TF_LEAN_BINARY",
]
