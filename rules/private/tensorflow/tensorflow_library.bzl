"""tensorflow_library: sources compiled as TensorFlow's core."""

load("//rules/private/cc:compiled_library.bzl", "compiled_library")
load(":release.bzl", "HOT_TENSORFLOW_HEADERS", "TENSORFLOW_COPTS", "TENSORFLOW_HEADERS")

visibility("public")

def tensorflow_library(name, copts = [], deps = [], hot = False, **kwargs):
    """A cc_library of sources that include the core's headers, precompiled if the compiler can do that.

    Args:
      name: of the target.
      copts: flags in addition to the flags of all of TensorFlow's sources.
      deps: dependencies in addition to the core's headers.
      hot: whether the sources are compiled for speed, with the flags of the sources in hot_sources.yaml.
      **kwargs: attributes of cc_library.
    """
    headers = HOT_TENSORFLOW_HEADERS if hot else TENSORFLOW_HEADERS
    compiled_library(
        name = name,
        copts = TENSORFLOW_COPTS + ["$(HOT_TENSORFLOW_HEADERS)" if hot else "$(TENSORFLOW_HEADERS)"] + copts,
        toolchains = [headers],
        deps = [headers] + deps,
        **kwargs
    )
