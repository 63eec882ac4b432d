"""Where LLVM's linker is, which folds functions of the same code into one."""

visibility(["//rules"])

# Newest first; the folders are those of Debian's packages lld-19 and so on.
_FOLDERS = ["/usr/lib/llvm-%d/bin" % version for version in range(22, 13, -1)]

def _lld_repository_impl(ctx):
    found = [folder for folder in _FOLDERS if ctx.path(folder).get_child("ld.lld").exists]
    on_path = ctx.which("ld.lld")
    if not found and on_path:
        found = [str(on_path.dirname)]
    flags = ["-fuse-ld=lld", "-B" + found[0]] if found else []
    ctx.file("lld.bzl", '"""How a compiler is told to link with lld."""\n\nLLD_FLAGS = %r\n' % (flags,))
    ctx.file("BUILD.bazel", 'exports_files(["lld.bzl"], visibility = ["//visibility:public"])\n')

lld_repository = repository_rule(
    implementation = _lld_repository_impl,
    doc = "Looks for ld.lld. Without one, libraries are linked by their toolchain's own linker, and are larger.",
    environ = ["PATH"],
    local = True,
)
