"""Linking with lld, on Linux if it is installed: it folds identical functions."""

load("@tfcarve_lld//:lld.bzl", "LLD_FLAGS")

visibility(["//rules/private/..."])

FOLDING = ["-Wl,--icf=all", "-Wl,-O2"]

# Relative relocations take a bit each. The linker records that the library needs glibc 2.36.
_PACKED = ["-Wl,-z,pack-relative-relocs"]

LLD_ATTRS = {
    "packed_relocations": attr.bool(doc = "Whether the shared library for Linux has packed relative relocations."),
    "_lld": attr.label(default = "@tfcarve_lld//:identity", allow_files = True, cfg = "exec"),
    "_linux": attr.label(default = "@platforms//os:linux", providers = [platform_common.ConstraintValueInfo]),
}

def lld_flags(ctx):
    """Flags that come after the toolchain's own.

    The toolchains of Android and iOS have their own linkers (system_linker.bzl).

    Args:
      ctx: of a rule with LLD_ATTRS.

    Returns:
      list of strings; empty if the toolchain's linker is used.
    """
    if not ctx.target_platform_has_constraint(ctx.attr._linux[platform_common.ConstraintValueInfo]):
        return []
    if ctx.attr.packed_relocations and not LLD_FLAGS:
        fail("%s: packed_relocations needs ld.lld, which is not installed; try: sudo apt-get install lld" % ctx.label)
    packed = _PACKED if ctx.attr.packed_relocations else []
    return LLD_FLAGS + FOLDING + packed if LLD_FLAGS else []
