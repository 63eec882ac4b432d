"""Repositories with Python environments: packages that are inputs of actions, or a virtual environment in the user's cache."""

visibility(["//rules"])

_CACHED = """\
load("{python_bzl}", "python_environment")

python_environment(
    name = "environment",
    interpreters = ["{interpreter}"],
    missing = "{interpreter} does not exist (was the cache cleared?); run bazelw shutdown and try again",
    visibility = ["//visibility:public"],
)
"""

_AVAILABLE = """\
\"\"\"Whether the environment could be installed.\"\"\"

AVAILABLE = {available}
"""

_PACKAGED = """\
load("{python_bzl}", "python_environment")

python_environment(
    name = "environment",
    folder = "packages",
    identity = "{identity}",
    interpreters = {interpreters},
    missing = "{name} is not installed; try: sudo apt-get install {name}",
    packages = glob(["packages/**"]),
    visibility = ["//visibility:public"],
)

# Programs.
exports_files(
    glob(
        ["packages/**/bin/*"],
        allow_empty = True,
    ),
    visibility = ["//visibility:public"],
)
"""

# An environment variable: if it is not empty, optional environments are not installed.
_NO_OPTIONAL = "TFCARVE_NO_OPTIONAL_PACKAGES"

_PYTHON_BZL = Label("//rules/private/python:python.bzl")

def _run(ctx, module, arguments = [], optional = False):
    """Runs a module of //tools/bootstrap and returns what it prints; None, with a message, if it fails and is optional."""
    lock = ctx.path(ctx.attr.lock)
    tools = lock.dirname.dirname.dirname.get_child("tools")
    for name in ["packages.py", "uv.py", "venv.py", "wheels.py"]:
        ctx.path(ctx.attr._bootstrap.relative(name))
    ctx.path(ctx.attr.lock.relative("uv.txt"))
    python = ctx.which("python3")
    if not python:
        fail("python3 is not on PATH; try: sudo apt-get install python3")
    ctx.report_progress("creating the Python environment (once)")
    done = ctx.execute(
        [
            python,
            "-m",
            module,
            "--lock",
            lock,
            "--oldest",
            ctx.attr.oldest,
            "--newest",
            ctx.attr.newest,
        ] + arguments,
        environment = {
            "PYTHONDONTWRITEBYTECODE": "1",
            "PYTHONPATH": str(tools),
            "TFCARVE_DISTDIR": ctx.os.environ.get("TFCARVE_DISTDIR", ""),
        },
        timeout = 3600,
    )
    if done.return_code and optional:
        # buildifier: disable=print
        print("builds do without the packages of %s, which cannot be installed: %s" % (
            ctx.attr.lock,
            done.stderr.strip(),
        ))
        return None
    if done.return_code:
        fail("could not create the Python environment of {}:\n{}".format(
            ctx.attr.lock,
            done.stderr.strip(),
        ))
    return done.stdout.strip()

def _cached_repository_impl(ctx):
    folder = _run(ctx, "bootstrap.venv")
    if hasattr(ctx, "watch"):
        ctx.watch(folder + "/.complete")  # Created again if the cache was cleared.
    ctx.file("BUILD.bazel", _CACHED.format(
        interpreter = folder + "/bin/python",
        python_bzl = _PYTHON_BZL,
    ))

def _packaged_repository_impl(ctx):
    omitted = ctx.attr.optional and ctx.os.environ.get(_NO_OPTIONAL, "")
    printed = None if omitted else _run(
        ctx,
        "bootstrap.packages",
        ["--into", ctx.path("packages")],
        optional = ctx.attr.optional,
    )
    ctx.file("available.bzl", _AVAILABLE.format(available = printed != None))
    if printed == None:
        ctx.file("BUILD.bazel", "")
        return
    found = json.decode(printed)
    if hasattr(ctx, "watch"):
        ctx.watch(found["program"])
    ctx.file("BUILD.bazel", _PACKAGED.format(
        identity = found["identity"],
        interpreters = repr(found["interpreters"]),
        name = found["interpreters"][-1],
        python_bzl = _PYTHON_BZL,
    ))

_ATTRS = {
    "lock": attr.label(mandatory = True, allow_single_file = True, doc = "Requirements, with hashes."),
    "newest": attr.string(mandatory = True, doc = "Newest Python that the lock is for."),
    "oldest": attr.string(mandatory = True, doc = "Oldest Python that the lock is for."),
    "_bootstrap": attr.label(default = "//tools/bootstrap:venv.py"),
}
_ENVIRON = ["HOME", "PATH", "XDG_CACHE_HOME"]

cached_python_repository = repository_rule(
    implementation = _cached_repository_impl,
    doc = "Refers to a virtual environment that is created from a lock file, once for each user.",
    environ = _ENVIRON,
    attrs = _ATTRS,
)

packaged_python_repository = repository_rule(
    implementation = _packaged_repository_impl,
    doc = "Contains the packages of a lock file, for an interpreter of the system.",
    environ = _ENVIRON + [_NO_OPTIONAL],
    attrs = _ATTRS | {
        "optional": attr.bool(doc = "Whether the repository has no environment, instead of an error, if it cannot be created."),
    },
)
