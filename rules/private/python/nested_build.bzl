"""nested_build: an action that builds in a nested workspace and publishes the outputs, for tests."""

load("//rules/private/outputs:declare.bzl", "declare", "declare_folder")
load(":python.bzl", "PyToolInfo")

visibility(["//tests/..."])

def _no_cpu(_os, _inputs):
    """The nested build starts at once, although it uses all CPUs, because most tests wait for it."""
    return {"cpu": 0}

def _nested_build_impl(ctx):
    folders = {
        name: declare_folder(ctx, name)
        for name in ctx.attr.published
    }
    done = declare(ctx, "done")
    args = ctx.actions.args()
    args.add(done, format = "done=%s")
    for name, folder in folders.items():
        args.add_all([folder], expand_directories = False, format_each = name + "=%s")
    ctx.actions.run(
        executable = ctx.executable.program,
        arguments = [args],
        # The files that the nested build reads are no inputs of the action. Instead, these inputs contain their digest and the
        # commands that the build runs.
        inputs = depset(
            ctx.files.data,
            transitive = [target[DefaultInfo].default_runfiles.files for target in ctx.attr.data],
        ),
        outputs = folders.values() + [done],
        mnemonic = "TfNestedBuild",
        progress_message = "Building %{label} in a nested workspace",
        resource_set = _no_cpu,
        use_default_shell_env = True,
        execution_requirements = {
            # The nested build has a cache of its own, and uses all CPUs.
            "no-cache": "",
            "no-remote": "",
            "no-sandbox": "",
        },
    )
    groups = {name: depset([folder]) for name, folder in folders.items()}
    return [
        DefaultInfo(files = depset(folders.values())),
        OutputGroupInfo(done = depset([done]), **groups),
    ]

_nested_build = rule(
    implementation = _nested_build_impl,
    attrs = {
        "data": attr.label_list(allow_files = True, doc = "Files on which the outputs depend, besides the program."),
        "program": attr.label(
            cfg = "exec",
            doc = "Gets NAME=FOLDER for each published folder and fills the folders, and done=FILE, an empty file that it writes.",
            executable = True,
            mandatory = True,
            providers = [PyToolInfo],
        ),
        "published": attr.string_list(doc = "Names of the folders.", mandatory = True),
    },
)

def nested_build(name, program, published, data = [], **kwargs):
    """Builds in a nested workspace, as a user does, and publishes folders with outputs of the build.

    For each published folder, there is a target `<name>_<folder>`; `<name>_done` is an empty file. A test has the folders in its
    data that it reads. It runs as any other test does: at the same time as others, and again only if a file in its folders
    changed.

    Args:
      name: of the target with all folders.
      program: a py_tool that builds and fills the folders.
      published: names of the folders.
      data: files on which the outputs depend, besides this repository's sources.
      **kwargs: common attributes.
    """
    _nested_build(
        name = name,
        program = program,
        published = published,
        # In a function, because apps do not have tfcarve_sources_digest.
        data = data + [Label("@tfcarve_sources_digest//:others.sha256"), Label("//tools:build")],
        **kwargs
    )
    for folder in published + ["done"]:
        native.filegroup(
            name = "%s_%s" % (name, folder),
            srcs = [name],
            output_group = folder,
            **kwargs
        )
