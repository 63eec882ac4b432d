"""Programs of the system that actions run, each as a script: Bazel then notices another version."""

load("@bazel_skylib//lib:shell.bzl", "shell")
load("//rules/platforms:table.bzl", "PLATFORMS")
load(":program_identity.bzl", "COMPILER_PARTS", "identity_file", "program_identity")

visibility(["//rules"])

# Names of targets -> the programs to look for, best first, the option that prints the version, and the options that print the paths of
# further programs that the first one runs.
_TOOLS = {
    "cxx": struct(names = ["g++", "clang++", "c++"], version = "--version", parts = COMPILER_PARTS),
    "cxxfilt": struct(names = ["c++filt", "llvm-cxxfilt", "llvm-cxxfilt-19"], version = "--version", parts = []),
    "javac": struct(names = ["javac"], version = "-version", parts = []),
}

# The compiler of the toolchain that rules_cc finds: the environment variable CC, or the first of these.
_COMPILERS = ["gcc", "clang", "cc"]

_SCRIPT = """\
#!/bin/sh
# {version}
# {digests}
exec {program} "$@"
"""

_BUILD = """\
filegroup(
    name = "{name}",
    srcs = {files},
    visibility = ["//visibility:public"],
)
"""

# Java's names of CPUs, which repository rules see -> the names in @platforms//cpu.
_CPUS = {"amd64": "x86_64"}

def _host_platform(ctx):
    """The name of the build machine's platform in the table; "" if libraries are not built for it."""
    cpu = _CPUS.get(ctx.os.arch, ctx.os.arch)
    names = [name for name, row in PLATFORMS.items() if row.os == ctx.os.name and row.cpu == cpu]
    return names[0] if names else ""

def _which(ctx, names):
    """The path of the first program that is installed, or None."""
    found = [path for path in [ctx.which(name) for name in names] if path]
    return found[0] if found else None

def _script(ctx, tool):
    """The script that runs a tool; None if it is not installed."""
    program = _which(ctx, tool.names)
    if not program:
        return None
    version, digests = program_identity(ctx, program, tool.version, tool.parts)
    return _SCRIPT.format(digests = digests, program = shell.quote(str(program)), version = version)

def _compiler(ctx):
    """The path of the system's compiler, or None."""
    chosen = ctx.os.environ.get("CC", "")
    if chosen.startswith("/"):
        return ctx.path(chosen) if ctx.path(chosen).exists else None
    return _which(ctx, [chosen] if chosen else _COMPILERS)

def _system_tools_repository_impl(ctx):
    targets = ['exports_files(["host.bzl"], visibility = ["//visibility:public"])\n']
    for name, tool in _TOOLS.items():
        text = _script(ctx, tool)
        if text:
            ctx.file(name + ".sh", text)
        targets.append(_BUILD.format(files = repr([name + ".sh"] if text else []), name = name))
    identity_file(ctx, "compiler.txt", _compiler(ctx), parts = COMPILER_PARTS)
    targets.append(_BUILD.format(files = ["compiler.txt"], name = "compiler"))
    ctx.file("BUILD.bazel", "\n".join(targets))
    ctx.file("host.bzl", "HOST_PLATFORM = %r\n" % _host_platform(ctx))

system_tools_repository = repository_rule(
    implementation = _system_tools_repository_impl,
    doc = "A target for each program: a script that runs it, or nothing if it is not installed; and the identities of the compiler and the build machine.",
    configure = True,
    environ = [
        "CC",
        "PATH",
    ],
    local = True,
)
