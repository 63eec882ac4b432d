"""A repository with a pinned source of a TensorFlow release and a BUILD file of tfcarve."""

visibility([
    "//rules",
    "//third_party/googletest",
])

_HINT = "Every archive is pinned by its SHA-256. To provide one, put it into a folder and " + \
        "set the environment variable TFCARVE_DISTDIR to that folder."

def _run(ctx, python, arguments):
    return ctx.execute(
        [
            python,
            "-m",
            "bootstrap.fetch_source",
            "--pins",
            ctx.path(ctx.attr.pins),
            "--name",
            ctx.attr.pin,
            "--tree",
            ctx.path("."),
        ] + arguments,
        environment = {
            "PYTHONDONTWRITEBYTECODE": "1",
            "PYTHONPATH": str(ctx.path(ctx.attr._tools[0]).dirname.dirname),
            "TFCARVE_DISTDIR": ctx.os.environ.get("TFCARVE_DISTDIR", ""),
        },
        timeout = 3600,
    )

def _from_upstream(ctx, python, pin):
    """Downloads upstream's archive with Bazel's own downloader; returns what `_run` returns."""
    if "upstream" not in pin:
        return _failed("no archive is pinned")
    upstream = pin["upstream"]
    archive = upstream["urls"][0].split("/")[-1]
    got = ctx.download(
        upstream["urls"],
        archive,
        sha256 = upstream["sha256"],
        allow_fail = True,
    )
    if not got.success:
        return _failed("could not download (the warning above says why) " + ", ".join(upstream["urls"]))
    done = _run(ctx, python, ["--archive", ctx.path(archive)])
    ctx.delete(archive)
    return done

def _own(ctx, python, pin):
    """Lays out the user's archive or folder; downloads it if it is a URL."""
    own = ctx.attr.archive
    is_url = "://" in own
    if is_url:
        path = ctx.path("own/" + own.split("/")[-1])
        sha256 = ctx.attr.sha256 or pin["upstream"]["sha256"]
        got = ctx.download([own], path, sha256 = sha256, allow_fail = True)
        if not got.success:
            fail("could not download {} with the SHA-256 {} (the warning above says why); tfcarve.tensorflow(sha256 = ...) ".format(own, sha256) +
                 "accepts an archive other than the pinned one")
    else:
        path = ctx.path(own if own.startswith("/") else "{}/{}".format(ctx.workspace_root, own))
    ctx.report_progress("laying out {}".format(path))
    done = _run(ctx, python, ["--own", path, "--sha256", ctx.attr.sha256])
    if done.return_code:
        fail("tfcarve.tensorflow(archive = {}): {}".format(repr(own), done.stderr.strip()))
    if is_url:
        ctx.delete("own")
    elif hasattr(ctx, "watch"):
        (ctx.watch_tree if path.is_dir else ctx.watch)(path)
    if hasattr(ctx, "watch"):
        # It has the checksums of the files that tfcarve replaces.
        ctx.watch(ctx.path(ctx.attr.pins).dirname.get_child("release.toml"))
    return done

def _failed(reason):
    return struct(return_code = 1, stderr = reason, stdout = "")

def _pinned(ctx, python, pin):
    """Lays out a pinned archive."""
    ctx.report_progress("looking for a local archive")
    failures = []
    done = _run(ctx, python, ["--from", "local"])
    if done.return_code == 1:
        failures.append(done.stderr.strip())
        done = _from_upstream(ctx, python, pin)
        if done.return_code:
            failures.append("upstream: " + done.stderr.strip())
            ctx.report_progress("using the package clients")
            done = _run(ctx, python, ["--from", "clients"])
    if done.return_code:
        failures.append(done.stderr.strip())
        lines = "\n".join(failures).split("\n")
        fail("\n".join(
            ["could not get the source of {} {}; tried:".format(ctx.attr.pin, pin["version"])] +
            ["  - " + line for line in lines] + [_HINT],
        ))
    return done

def _source_repository_impl(ctx):
    python = ctx.which("python3")
    if not python:
        fail("python3 is not on PATH; try: sudo apt-get install python3")
    for label in ctx.attr._tools:
        ctx.path(label)  # A change there fetches again.
    pin = json.decode(ctx.read(ctx.attr.pins))[ctx.attr.pin]
    done = (_own if ctx.attr.archive else _pinned)(ctx, python, pin)
    if hasattr(ctx, "watch"):
        ctx.watch(done.stdout.strip())  # Fetched again if the cache was cleared.
    ctx.file("BUILD.bazel", ctx.read(ctx.attr.build_file))
    ctx.file("WORKSPACE", "")

source_repository = repository_rule(
    implementation = _source_repository_impl,
    doc = "Links a pinned source, which is in the user's cache: from a local folder, upstream, or the package clients.",
    environ = ["HOME", "TFCARVE_DISTDIR", "XDG_CACHE_HOME"],
    attrs = {
        "archive": attr.string(doc = "The user's archive, by its path or URL, or folder, in place of the pinned archives."),
        "build_file": attr.label(
            mandatory = True,
            allow_single_file = True,
            doc = "The BUILD file of the repository.",
        ),
        "pin": attr.string(mandatory = True, doc = "Key in pins.json."),
        "pins": attr.label(mandatory = True, allow_single_file = [".json"], doc = "pins.json of a release."),
        "sha256": attr.string(doc = "Of the user's archive."),
        "_tools": attr.label_list(
            allow_files = True,
            default = [
                "//tools/bootstrap:fetch_source.py",
                "//tools/bootstrap:trees.py",
                "//tools/bootstrap:unpack.py",
            ],
        ),
    },
)
