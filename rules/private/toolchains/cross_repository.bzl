"""A repository with a C++ toolchain for each platform: a cross compiler of the system, or a stub.

With stubs, an app can be analysed for all of its platforms even if some cannot be built. tf_multi_platform_library then skips these
and says why. A direct build for such a platform fails with the reason in its first compile action.
"""

load("@bazel_skylib//lib:shell.bzl", "shell")
load("//rules/platforms:table.bzl", "PLATFORMS")
load(":program_identity.bzl", "COMPILER_PARTS", "identity_file")

visibility(["//rules"])

_BUILD = """\
load("@rules_cc//cc:defs.bzl", "cc_toolchain")
load("@rules_cc//cc/private/toolchain:unix_cc_toolchain_config.bzl", "cc_toolchain_config")

filegroup(
    name = "files",
    srcs = {files},
)

cc_toolchain_config(
    name = "config",
    abi_libc_version = "local",
    abi_version = "local",
    compile_flags = {compile_flags},
    compiler = "{compiler}",
    cpu = "{cpu}",
    cxx_builtin_include_directories = {include_directories},
    cxx_flags = ["-std=c++17"],
    dbg_compile_flags = ["-g"],
    host_system_name = "local",
    link_flags = {link_flags},
    link_libs = ["-lstdc++", "-lm"],
    opt_compile_flags = ["-O2", "-DNDEBUG", "-ffunction-sections", "-fdata-sections"],
    opt_link_flags = ["-Wl,--gc-sections"],
    # Between --start-lib and --end-lib, an archive with alwayslink would not be linked whole.
    supports_start_end_lib = False,
    target_libc = "glibc",
    target_system_name = "{triple}",
    tool_paths = {tool_paths},
    toolchain_identifier = "{triple}",
    unfiltered_compile_flags = {unfiltered_compile_flags} + [
        "-Wno-builtin-macro-redefined",
        '-D__DATE__="redacted"',
        '-D__TIMESTAMP__="redacted"',
        '-D__TIME__="redacted"',
    ],
)

cc_toolchain(
    name = "cc_toolchain",
    all_files = ":files",
    compiler_files = ":files",
    dwp_files = ":files",
    linker_files = ":files",
    objcopy_files = ":files",
    strip_files = ":files",
    supports_param_files = True,
    toolchain_config = ":config",
    visibility = ["//visibility:public"],
)
"""

_MISSING = """\
load("{rule}", "missing_toolchains")

missing_toolchains(
    name = "missing",
    reasons = {reasons},
    visibility = ["//visibility:public"],
)
"""

_MISSING_TOOL = """\
#!/bin/sh
echo {message} >&2
exit 2
"""

# Bazel's name of a tool -> the cross compiler's program.
_PROGRAMS = {
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
}

# Environment variable with the name of clang, which then compiles instead of g++.
_CROSS_COMPILER = "TFCARVE_CROSS_COMPILER"

_LINK_FLAGS = ["-Wl,-z,relro,-z,now"]

# Dependency files of g++ have the paths of its command line.
_GCC_PATHS = ["-no-canonical-prefixes", "-fno-canonical-system-headers"]

# tfcarve does not use these programs.
_UNUSED_PROGRAMS = ["llvm-cov", "llvm-profdata"]

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

def _chosen(ctx, row, gxx):
    """The compiler of a platform: its g++, or clang with the headers and libraries of that g++."""
    name = ctx.os.environ.get(_CROSS_COMPILER, "")
    if not name:
        return struct(program = gxx, compiler = "gcc", target = [], unfiltered = _GCC_PATHS)
    clang = ctx.which(name)
    if not clang:
        fail("%s is %s, which is not on PATH; try: sudo apt-get install clang" % (_CROSS_COMPILER, name))
    return struct(program = clang, compiler = "clang", target = ["--target=" + row.triple], unfiltered = [])

def _cross_compiler(ctx, row, chosen):
    """The BUILD file of a toolchain with the system's cross compiler."""
    probe = ctx.execute(
        [chosen.program] + chosen.target + ["-E", "-v", "-x", "c++", "/dev/null"],
        environment = {"LC_ALL": "C"},
    )
    directories = []
    for path in include_directories(probe.stderr):
        directories.append(path)
        if str(ctx.path(path).realpath) not in directories:
            directories.append(str(ctx.path(path).realpath))
    tools = {
        name: str(ctx.which(row.triple + "-" + program) or "/bin/false")
        for name, program in _PROGRAMS.items()
    } | {name: "/bin/false" for name in _UNUSED_PROGRAMS} | {"gcc": str(chosen.program)}
    return _BUILD.format(
        compile_flags = repr(chosen.target + row.cpus.values()[0]),
        compiler = chosen.compiler,
        cpu = row.cross.bazel_cpu,
        files = ["compiler.txt"],
        include_directories = repr(directories),
        link_flags = repr(chosen.target + _LINK_FLAGS),
        tool_paths = repr(tools),
        triple = row.triple,
        unfiltered_compile_flags = repr(chosen.unfiltered),
    )

def _no_compiler(name, row):
    """The BUILD file of a stub toolchain, which prints the reason and fails."""
    return _BUILD.format(
        compile_flags = [],
        compiler = "none",
        cpu = name,
        files = ["missing.sh"],
        include_directories = [],
        link_flags = [],
        tool_paths = repr({tool: "missing.sh" for tool in list(_PROGRAMS) + _UNUSED_PROGRAMS}),
        triple = row.triple,
        unfiltered_compile_flags = [],
    )

def _ndk(ctx):
    """What the environment says about an NDK."""
    home = ctx.os.environ.get("ANDROID_NDK_HOME", "")
    if not home:
        return "ANDROID_NDK_HOME is not set"
    if not ctx.path(home).exists:
        return "ANDROID_NDK_HOME is %s, which does not exist" % home
    if not ctx.path(home).get_child("toolchains").get_child("llvm").get_child("prebuilt").exists:
        return "ANDROID_NDK_HOME is %s, which is not an NDK: it has no toolchains/llvm/prebuilt" % home
    return "ANDROID_NDK_HOME is %s, an NDK, but no toolchain of it is registered for this machine" % home

def _reason(ctx, row):
    return row.missing_toolchain + ("; " + _ndk(ctx) if row.os == "android" else "")

def _cross_repository_impl(ctx):
    reasons = {}
    for name, row in PLATFORMS.items():
        gxx = ctx.which(row.triple + "-g++") if row.cross else None
        if gxx:
            chosen = _chosen(ctx, row, gxx)
            ctx.file(name + "/BUILD.bazel", _cross_compiler(ctx, row, chosen))
            identity_file(ctx, name + "/compiler.txt", chosen.program, parts = COMPILER_PARTS)
        else:
            reasons[name] = _reason(ctx, row)
            message = "no C++ toolchain for %s: %s" % (name, reasons[name])
            ctx.file(name + "/missing.sh", _MISSING_TOOL.format(message = shell.quote(message)))
            ctx.file(name + "/BUILD.bazel", _no_compiler(name, row))
    ctx.file("BUILD.bazel", _MISSING.format(
        reasons = repr(reasons),
        rule = Label("//rules/private/toolchains:missing_toolchains.bzl"),
    ))

cross_repository = repository_rule(
    implementation = _cross_repository_impl,
    doc = "A package for each platform with its `cc_toolchain`, and `missing`, which says why some are stubs.",
    configure = True,
    environ = [
        "ANDROID_NDK_HOME",
        "PATH",
        _CROSS_COMPILER,
    ],
)
