"""Programs of the system that actions run, each as a script: Bazel then notices another version."""

load("@bazel_skylib//lib:shell.bzl", "shell")

visibility(["//rules"])

# Names of targets -> the programs to look for, best first, the option that prints the version, and further programs that the first
# one runs, by the option that prints their path.
_TOOLS = {
    "cxx": struct(names = ["g++", "clang++", "c++"], version = "--version", parts = ["-print-prog-name=cc1plus"]),
    "cxxfilt": struct(names = ["c++filt", "llvm-cxxfilt", "llvm-cxxfilt-19"], version = "--version", parts = []),
    "javac": struct(names = ["javac"], version = "-version", parts = []),
}

# The version and the digests are part of the key of actions, so that machines with other programs do not share outputs.
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

def _digest(ctx, path):
    """SHA-256 of a file, which Bazel then watches; empty if no program computes it."""
    if hasattr(ctx, "watch"):
        ctx.watch(path)
    for command in [["sha256sum"], ["shasum", "-a", "256"]]:
        program = ctx.which(command[0])
        if program:
            return ctx.execute([program] + command[1:] + [path]).stdout.partition(" ")[0]
    return ""

def _script(ctx, tool):
    """The script that runs a tool; None if it is not installed."""
    found = [path for path in [ctx.which(name) for name in tool.names] if path]
    if not found:
        return None
    program = found[0]
    printed = ctx.execute([program, tool.version], environment = {"LC_ALL": "C"})
    parts = [ctx.execute([program, option]).stdout.strip() for option in tool.parts]
    files = [program.realpath] + [ctx.path(part).realpath for part in parts if part.startswith("/")]
    return _SCRIPT.format(
        digests = " ".join([_digest(ctx, file) for file in files]),
        program = shell.quote(str(program)),
        version = (printed.stdout or printed.stderr).partition("\n")[0],
    )

def _system_tools_repository_impl(ctx):
    targets = []
    for name, tool in _TOOLS.items():
        text = _script(ctx, tool)
        if text:
            ctx.file(name + ".sh", text)
        targets.append(_BUILD.format(files = repr([name + ".sh"] if text else []), name = name))
    ctx.file("BUILD.bazel", "\n".join(targets))

system_tools_repository = repository_rule(
    implementation = _system_tools_repository_impl,
    doc = "A target for each program: a script that runs it, or nothing if it is not installed.",
    configure = True,
    environ = ["PATH"],
    local = True,
)
