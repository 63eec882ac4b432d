"""A repository with files that change whenever a source of this module changes.

Tests that build in a nested workspace read this module without Bazel's knowledge. With such a file in their data, Bazel runs them
again after a change. sources.sha256 has all sources. others.sha256 has the sources that are in no target of //tools: a test has the
targets of //tools that it needs in its data.
"""

visibility(["//rules"])

# Names and digests of all files except Python's caches.
_LIST = """
find "$@" -type f ! -path '*/__pycache__/*' -print0 | LC_ALL=C sort -z | xargs -0 sha256sum
"""

def _sources_digest_repository_impl(ctx):
    root = ctx.path(Label("//:MODULE.bazel")).dirname
    for file in ctx.attr.files:
        ctx.watch(root.get_child(file))
    for folder in ctx.attr.folders:
        ctx.watch_tree(root.get_child(folder))
    listed = ctx.execute(
        ["sh", "-c", _LIST, "sh"] + ctx.attr.files + ctx.attr.folders,
        working_directory = str(root),
    )
    if listed.return_code:
        fail("could not list the sources of tfcarve in {}: {}".format(root, listed.stderr))
    ctx.file("sources.sha256", listed.stdout)
    lines = listed.stdout.splitlines(True)
    ctx.file("others.sha256", "".join([
        line
        for line in lines
        if not line.split("  ", 1)[1].startswith(tuple(ctx.attr.targets))
    ]))
    ctx.file("BUILD.bazel", 'exports_files(["others.sha256", "sources.sha256"])\n')

sources_digest_repository = repository_rule(
    implementation = _sources_digest_repository_impl,
    doc = "Lists this module's sources with their digests.",
    local = True,
    attrs = {
        "files": attr.string_list(doc = "Files at the module's root."),
        "folders": attr.string_list(doc = "Folders at the module's root, with all that is in them."),
        "targets": attr.string_list(doc = "Paths, or beginnings of paths, of the sources that others.sha256 does not have."),
    },
)
