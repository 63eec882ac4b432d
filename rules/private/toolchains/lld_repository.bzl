"""Finds lld, which folds identical functions."""

load(":program_identity.bzl", "identity_file")

visibility(["//rules"])

_BUILD = """\
exports_files(["lld.bzl"], visibility = ["//visibility:public"])

# The identity of the linker, an input of the links that use it.
filegroup(
    name = "identity",
    srcs = ["lld.txt"],
    visibility = ["//visibility:public"],
)
"""

# Newest first: the folders of Debian's packages lld-22, lld-21 and so on.
_FOLDERS = ["/usr/lib/llvm-%d/bin" % version for version in range(22, 13, -1)]

def _lld_repository_impl(ctx):
    found = [folder for folder in _FOLDERS if ctx.path(folder).get_child("ld.lld").exists]
    on_path = ctx.which("ld.lld")
    if not found and on_path:
        found = [str(on_path.dirname)]
    flags = ["-fuse-ld=lld", "-B" + found[0]] if found else []
    ctx.file("lld.bzl", '"""The flags that make a compiler link with lld."""\n\nLLD_FLAGS = %r\n' % (flags,))
    identity_file(ctx, "lld.txt", ctx.path(found[0]).get_child("ld.lld") if found else None)
    ctx.file("BUILD.bazel", _BUILD)

lld_repository = repository_rule(
    implementation = _lld_repository_impl,
    doc = "Finds ld.lld. Without it, the toolchain's own linker links libraries, and they are larger.",
    environ = ["PATH"],
    local = True,
)
