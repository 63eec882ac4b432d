"""tensorflow_library: sources compiled as TensorFlow's core is."""

load("@rules_cc//cc:defs.bzl", "cc_library")
load(":copts.bzl", "TENSORFLOW_COPTS")

visibility("public")

_HEADERS = Label("@tfcarve_tensorflow//:precompiled_headers")

def tensorflow_library(name, copts = [], deps = [], **kwargs):
    """A cc_library of sources that see the core's headers, precompiled where the compiler can.

    Args:
      name: of the target.
      copts: flags besides those of all of TensorFlow's sources.
      deps: what the sources need besides the core's headers.
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
