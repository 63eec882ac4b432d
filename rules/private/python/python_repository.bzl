"""A repository that refers to a Python virtual environment in the user's cache."""

visibility(["//rules"])

_BUILD = """\
load("{python_bzl}", "python_environment")

python_environment(
    name = "environment",
    interpreter = "{interpreter}",
    visibility = ["//visibility:public"],
)
"""

def _python_repository_impl(ctx):
    lock = ctx.path(ctx.attr.lock)
    tools = lock.dirname.dirname.dirname.get_child("tools")
    for name in ["venv.py", "wheels.py"]:
        ctx.path(ctx.attr._bootstrap.relative(name))
    python = ctx.which("python3")
    if not python:
        fail("python3 is not on PATH; try: sudo apt-get install python3")
    ctx.report_progress("creating the Python environment (once)")
    done = ctx.execute(
        [
            python,
            "-m",
            "bootstrap.venv",
            "--lock",
            lock,
            "--oldest",
            ctx.attr.oldest,
            "--newest",
            ctx.attr.newest,
        ],
        environment = {
            "PYTHONDONTWRITEBYTECODE": "1",
            "PYTHONPATH": str(tools),
            "TFCARVE_DISTDIR": ctx.os.environ.get("TFCARVE_DISTDIR", ""),
        },
        timeout = 3600,
    )
    if done.return_code:
        fail("could not create the Python environment of {}:\n{}".format(
            ctx.attr.lock,
            done.stderr.strip(),
        ))
    folder = done.stdout.strip()
    if hasattr(ctx, "watch"):
        ctx.watch(folder + "/.complete")  # Created again if the cache was cleared.
    ctx.file("BUILD.bazel", _BUILD.format(
        interpreter = folder + "/bin/python",
        python_bzl = Label("//rules/private/python:python.bzl"),
    ))

python_repository = repository_rule(
    implementation = _python_repository_impl,
    doc = "Creates a virtual environment from a lock file with hashes, once for each user.",
    environ = ["HOME", "XDG_CACHE_HOME"],
    attrs = {
        "lock": attr.label(mandatory = True, allow_single_file = True, doc = "Requirements, with hashes."),
        "newest": attr.string(mandatory = True, doc = "Newest Python that the lock is for."),
        "oldest": attr.string(mandatory = True, doc = "Oldest one."),
        "_bootstrap": attr.label(default = "//tools/bootstrap:venv.py"),
    },
)
