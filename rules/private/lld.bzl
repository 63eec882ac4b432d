"""Linking with LLVM's linker on Linux, where the system has one: it folds functions of the same code."""

load("@tfcarve_lld//:lld.bzl", "LLD_FLAGS")

visibility("private")

_FOLDING = ["-Wl,--icf=all", "-Wl,-O2"]

LLD_ATTRS = {
    "_linux": attr.label(default = "@platforms//os:linux", providers = [platform_common.ConstraintValueInfo]),
}

def lld_flags(ctx):
    """Flags that come after the toolchain's own.

    The toolchains of Android and iOS bring a linker of their own.

    Args:
      ctx: of a rule with LLD_ATTRS.

    Returns:
      list of strings; none where the linker stays the toolchain's.
    """
    on_linux = ctx.target_platform_has_constraint(ctx.attr._linux[platform_common.ConstraintValueInfo])
    return LLD_FLAGS + _FOLDING if on_linux and LLD_FLAGS else []
