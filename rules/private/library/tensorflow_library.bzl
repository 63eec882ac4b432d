"""tensorflow_library: sources compiled as TensorFlow's core."""

load("@rules_cc//cc:defs.bzl", "cc_library")
load(":copts.bzl", "TENSORFLOW_COPTS")

visibility("public")

_HEADERS = Label("@tfcarve_tensorflow//:precompiled_headers")

def tensorflow_library(name, copts = [], deps = [], **kwargs):
    """A cc_library of sources that include the core's headers, precompiled if the compiler can do that.

    Args:
      name: of the target.
      copts: flags in addition to those of all of TensorFlow's sources.
      deps: dependencies in addition to the core's headers.
      **kwargs: as in cc_library.
    """
    cc_library(
        name = name,
        copts = TENSORFLOW_COPTS + ["$(TENSORFLOW_HEADERS)"] + copts,
        linkstatic = True,
        toolchains = [_HEADERS],
        deps = [_HEADERS] + deps,
        **kwargs
    )
