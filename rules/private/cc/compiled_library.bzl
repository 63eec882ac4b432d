"""compiled_library: sources that are compiled again with another compiler."""

load("@rules_cc//cc:defs.bzl", "cc_library")

visibility("public")

def compiled_library(name, **kwargs):
    """A cc_library whose actions have the identity of the compiler as an input.

    Machines with other compilers then do not share objects through a cache.

    Args:
      name: of the target.
      **kwargs: attributes of cc_library.
    """
    cc_library(
        name = name,
        additional_compiler_inputs = [Label("//rules/private/cc:system_compiler")],
        linkstatic = True,
        **kwargs
    )
