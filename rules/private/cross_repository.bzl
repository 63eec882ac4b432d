"""A repository with a C++ toolchain on a cross compiler of the system."""

visibility(["//rules"])

_BUILD = """\
load("@rules_cc//cc:defs.bzl", "cc_toolchain")
load("@rules_cc//cc/private/toolchain:unix_cc_toolchain_config.bzl", "cc_toolchain_config")

filegroup(name = "no_files")

cc_toolchain_config(
    name = "config",
    abi_libc_version = "local",
    abi_version = "local",
    compile_flags = {compile_flags},
    compiler = "gcc",
    cpu = "{cpu}",
    cxx_builtin_include_directories = {include_directories},
    cxx_flags = ["-std=c++17"],
    dbg_compile_flags = ["-g"],
    host_system_name = "local",
    link_flags = ["-Wl,-z,relro,-z,now"],
    link_libs = ["-lstdc++", "-lm"],
    opt_compile_flags = ["-O2", "-DNDEBUG", "-ffunction-sections", "-fdata-sections"],
    opt_link_flags = ["-Wl,--gc-sections"],
    # Between --start-lib and --end-lib an archive that has to be linked whole is not.
    supports_start_end_lib = False,
    target_libc = "glibc",
    target_system_name = "{triple}",
    tool_paths = {tool_paths},
    toolchain_identifier = "{triple}",
    unfiltered_compile_flags = [
        "-no-canonical-prefixes",
        "-fno-canonical-system-headers",
        "-Wno-builtin-macro-redefined",
        '-D__DATE__="redacted"',
        '-D__TIMESTAMP__="redacted"',
        '-D__TIME__="redacted"',
    ],
)

cc_toolchain(
    name = "cc_toolchain",
    all_files = ":no_files",
    compiler_files = ":no_files",
    dwp_files = ":no_files",
    linker_files = ":no_files",
    objcopy_files = ":no_files",
    strip_files = ":no_files",
    supports_param_files = True,
    toolchain_config = ":config",
    visibility = ["//visibility:public"],
)
"""

def include_directories(text):
    """The system's include folders.

    Args:
        text: what `g++ -E -v` prints on stderr.

    Returns:
        List of paths.
    """
    inside = text.partition("#include <...> search starts here:")[2]
    lines = inside.partition("End of search list.")[0].strip().split("\n")
    return [line.strip() for line in lines if line.strip()]

def _cross_repository_impl(ctx):
    triple = ctx.attr.triple
    gxx = ctx.which(triple + "-g++")
    if not gxx:
        fail((
            "{triple}-g++ is not on PATH: it is needed to build for {platform}. " +
            "Try: sudo apt-get install {package}"
        ).format(triple = triple, platform = ctx.attr.platform, package = ctx.attr.package))
    probe = ctx.execute([gxx, "-E", "-v", "-x", "c++", "/dev/null"], environment = {"LC_ALL": "C"})
    directories = []
    for path in include_directories(probe.stderr):
        directories.append(path)
        if str(ctx.path(path).realpath) not in directories:
            directories.append(str(ctx.path(path).realpath))
    tools = {
        name: str(ctx.which(triple + "-" + program) or "/bin/false")
        for name, program in {
            "ar": "ar",
            "cpp": "cpp",
            "dwp": "dwp",
            "gcc": "g++",
            "gcov": "gcov",
            "ld": "ld",
            "nm": "nm",
            "objcopy": "objcopy",
            "objdump": "objdump",
            "strip": "strip",
        }.items()
    }

    # Their absence is never noticed: nothing here asks for them.
    tools["llvm-cov"] = "/bin/false"
    tools["llvm-profdata"] = "/bin/false"
    ctx.file("BUILD.bazel", _BUILD.format(
        compile_flags = repr(ctx.attr.compile_flags),
        cpu = ctx.attr.cpu,
        include_directories = repr(directories),
        tool_paths = repr(tools),
        triple = triple,
    ))

cross_repository = repository_rule(
    implementation = _cross_repository_impl,
    doc = "Finds a cross g++ of the system; fails with the package to install where it is missing.",
    configure = True,
    environ = ["PATH"],
    attrs = {
        "compile_flags": attr.string_list(doc = "Flags for every compile."),
        "cpu": attr.string(mandatory = True, doc = "Bazel's name of the CPU."),
        "package": attr.string(mandatory = True, doc = "Debian's package of the compiler."),
        "platform": attr.string(mandatory = True, doc = "The platform, for messages."),
        "triple": attr.string(mandatory = True, doc = "Prefix of the compiler's programs."),
    },
)
