"""system_compiler: the identity of the compiler of a toolchain that does not contain its compiler."""

load("@bazel_tools//tools/cpp:toolchain_utils.bzl", "find_cpp_toolchain", "use_cpp_toolchain")

visibility("private")

# The file of cross_repository's toolchains and of system_tools_repository.
_IDENTITY = "compiler.txt"

def _system_compiler_impl(ctx):
    toolchain = find_cpp_toolchain(ctx)
    in_toolchain = not toolchain.compiler_executable.startswith("/")
    identified = in_toolchain or _IDENTITY in [file.basename for file in toolchain.all_files.to_list()]
    return [DefaultInfo(files = depset([] if identified else [ctx.file.compiler]))]

system_compiler = rule(
    implementation = _system_compiler_impl,
    doc = "A file that changes if the system's compiler changes; none for toolchains whose files identify the compiler.",
    toolchains = use_cpp_toolchain(),
    attrs = {
        "compiler": attr.label(allow_single_file = True, mandatory = True),
        "_cc_toolchain": attr.label(default = "@bazel_tools//tools/cpp:current_cc_toolchain"),
    },
)
