"""Linking with LLVM's linker, on Linux where the system has one: it folds functions of the same code."""

load("@tfcarve_lld//:lld.bzl", "LLD_FLAGS")

visibility(["//rules/private/..."])

FOLDING = ["-Wl,--icf=all", "-Wl,-O2"]

# Relative relocations as a bit each; the linker also writes down that this needs glibc 2.36.
_PACKED = ["-Wl,-z,pack-relative-relocs"]

LLD_ATTRS = {
    "packed_relocations": attr.bool(doc = "Whether Linux's shared library keeps relative relocations in the packed form."),
    "_linux": attr.label(default = "@platforms//os:linux", providers = [platform_common.ConstraintValueInfo]),
}

def lld_flags(ctx):
    """Flags that come after the toolchain's own.

    The toolchains of Android and iOS bring a linker of their own (system_linker.bzl).

    Args:
      ctx: of a rule with LLD_ATTRS.

    Returns:
      list of strings; none where the linker stays the toolchain's.
    """
    if not ctx.target_platform_has_constraint(ctx.attr._linux[platform_common.ConstraintValueInfo]):
        return []
    if ctx.attr.packed_relocations and not LLD_FLAGS:
        fail("%s: packed_relocations needs ld.lld, which is not here; try: sudo apt-get install lld" % ctx.label)
    packed = _PACKED if ctx.attr.packed_relocations else []
    return LLD_FLAGS + FOLDING + packed if LLD_FLAGS else []
