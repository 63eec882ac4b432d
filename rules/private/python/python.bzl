"""Python programs and tests that run with pinned packages.

They register no toolchain and need no rules_python, so they do not affect the app's own Python.
"""

load("@bazel_skylib//lib:shell.bzl", "shell")
load("//rules/private/config:transitions.bzl", "TRANSITION_ATTRS", "default_options")
load("//rules/private/outputs:declare.bzl", "declare_named")
load(":environments.bzl", environment_label = "environment")

PySourcesInfo = provider(
    doc = "Python sources and where they are imported from.",
    fields = {
        "imports": "depset of string: folders under the runfiles' root that go on PYTHONPATH.",
        "runfiles": "runfiles: sources and data.",
    },
)

PyEnvironmentInfo = provider(
    doc = "An interpreter with its packages.",
    fields = {
        "identity": "string: version and digest of the interpreter, which become part of the key of actions.",
        "imports": "list of string: folders of packages under the runfiles' root.",
        "interpreters": "list of string: names or absolute paths; the first one that exists runs.",
        "missing": "string: the message if there is none.",
        "runfiles": "runfiles: the packages, unless the interpreter has them.",
    },
)

PyToolInfo = provider(
    doc = "A program that actions run.",
    fields = {"execution_requirements": "dict[string, string]: the execution requirements of the actions."},
)

# The environment is a folder of this machine. Its path is part of the key, so that a cache can be shared.
_ONLY_HERE = {"no-remote-exec": ""}

def _python_environment_impl(ctx):
    return [PyEnvironmentInfo(
        identity = ctx.attr.identity,
        imports = [ctx.label.repo_name + "/" + ctx.attr.folder] if ctx.attr.folder else [],
        interpreters = ctx.attr.interpreters,
        missing = ctx.attr.missing,
        runfiles = ctx.runfiles(files = ctx.files.packages),
    )]

python_environment = rule(
    implementation = _python_environment_impl,
    doc = "An interpreter of the system with packages, or the interpreter of a virtual environment.",
    attrs = {
        "folder": attr.string(doc = "The folder of the packages; empty: the interpreter has them."),
        "identity": attr.string(doc = "Version and digest of the interpreter, which become part of the key of actions."),
        "interpreters": attr.string_list(mandatory = True, doc = "Names or absolute paths; the first one that exists runs."),
        "missing": attr.string(mandatory = True, doc = "The message if no interpreter exists."),
        "packages": attr.label_list(allow_files = True, doc = "The packages' files."),
    },
)

# Works with `bazel run`, as a tool of an action (in the sandbox too), and as data of another program. The runfiles are next to it,
# around it, or where the environment says.
_LAUNCHER = """\
#!/bin/sh
case $0 in
*.runfiles/*) runfiles=${{0%%.runfiles/*}}.runfiles ;;
*) runfiles=$0.runfiles ;;
esac
[ -d "$runfiles" ] || runfiles=${{RUNFILES_DIR:-${{TEST_SRCDIR:-$runfiles}}}}
case $runfiles in /*) ;; *) runfiles=$PWD/$runfiles ;; esac
# {identity}
python=
for candidate in {interpreters}; do
    python=$(command -v "$candidate") && break
done
if [ -z "$python" ]; then
    echo {missing} >&2
    exit 2
fi
path=
for folder in {imports}; do path=$path:$runfiles/$folder; done
PYTHONPATH=${{path#:}}
RUNFILES_DIR=$runfiles
PYTHONDONTWRITEBYTECODE=1
PYTHONHASHSEED=0
export PYTHONPATH RUNFILES_DIR PYTHONDONTWRITEBYTECODE PYTHONHASHSEED
exec "$python" {flags} {arguments} "$@"
"""

def _repository_folder(ctx):
    """The folder of this target's repository under the runfiles' root."""
    return ctx.label.repo_name or ctx.workspace_name

def _sources(ctx):
    """PySourcesInfo of this target: its own srcs, data and imports, and its deps'."""
    base = _repository_folder(ctx) + "/" + ctx.label.package
    own = [base if i == "." else base + "/" + i for i in ctx.attr.imports]
    infos = [dep[PySourcesInfo] for dep in ctx.attr.deps]
    runfiles = ctx.runfiles(files = ctx.files.srcs + ctx.files.data).merge_all(
        [info.runfiles for info in infos] +
        [target[DefaultInfo].default_runfiles for target in ctx.attr.data],
    )
    return PySourcesInfo(
        imports = depset(
            [i.rstrip("/") for i in own],
            transitive = [info.imports for info in infos],
            order = "preorder",
        ),
        runfiles = runfiles,
    )

def _quoted(words):
    return " ".join([shell.quote(word) for word in words])

def _launcher(ctx, sources, arguments):
    launcher = declare_named(ctx, "_/" + ctx.label.name)
    environment = ctx.attr.environment[PyEnvironmentInfo]
    ctx.actions.write(
        launcher,
        _LAUNCHER.format(
            arguments = arguments,
            # Without the user's packages, and without the system's packages if the environment has packages of its own.
            flags = "-s -S" if environment.imports else "-s",
            identity = environment.identity,
            imports = _quoted(sources.imports.to_list() + environment.imports),
            interpreters = _quoted(environment.interpreters),
            missing = shell.quote(environment.missing),
        ),
        is_executable = True,
    )
    return launcher

def _py_sources_impl(ctx):
    sources = _sources(ctx)
    return [
        sources,
        DefaultInfo(files = depset(ctx.files.srcs), runfiles = sources.runfiles),
    ]

def _py_tool_impl(ctx):
    sources = _sources(ctx)
    environment = ctx.attr.environment[PyEnvironmentInfo]
    launcher = _launcher(ctx, sources, "-m " + ctx.attr.main)
    return [
        sources,
        PyToolInfo(execution_requirements = {} if environment.imports else _ONLY_HERE),
        DefaultInfo(
            executable = launcher,
            files = depset([launcher]),
            runfiles = sources.runfiles.merge(environment.runfiles),
        ),
    ]

def _py_tool_test_impl(ctx):
    sources = _sources(ctx)
    root = _repository_folder(ctx)
    tests = " ".join([
        '"$runfiles"/' + shell.quote(root + "/" + file.short_path)
        for file in ctx.files.srcs
        if file.basename.startswith("test_") or file.basename.endswith("_test.py")
    ])
    if not tests:
        fail("{}: no file of srcs is named test_*.py".format(ctx.label))
    launcher = _launcher(
        ctx,
        sources,
        '-m pytest -q -p no:cacheprovider --import-mode=importlib --rootdir="$runfiles" ' +
        '${XML_OUTPUT_FILE:+--junitxml="$XML_OUTPUT_FILE"} ' +
        "${TESTBRIDGE_TEST_ONLY:+-k} $TESTBRIDGE_TEST_ONLY " + tests,
    )
    return [
        DefaultInfo(executable = launcher, runfiles = sources.runfiles),
        RunEnvironmentInfo(
            {
                key: ctx.expand_location(value, ctx.attr.data)
                for key, value in ctx.attr.env.items()
            },
            ctx.attr.env_inherit,
        ),
    ]

_SOURCES_ATTRS = {
    "data": attr.label_list(allow_files = True, doc = "Files and programs needed when it runs."),
    "deps": attr.label_list(providers = [PySourcesInfo], doc = "py_sources or py_tool targets."),
    "imports": attr.string_list(
        default = ["."],
        doc = "Folders to import from, relative to the package.",
    ),
    "srcs": attr.label_list(allow_files = [".py"], doc = "Python files."),
}

_ENVIRONMENT_ATTRS = {
    "environment": attr.label(
        mandatory = True,
        providers = [PyEnvironmentInfo],
        doc = "The interpreter and the packages it runs with.",
    ),
}

py_sources = rule(
    implementation = _py_sources_impl,
    doc = "Python files that tools and tests have in common.",
    attrs = _SOURCES_ATTRS,
)

_py_tool = rule(
    implementation = _py_tool_impl,
    # One program for libraries of all options.
    cfg = default_options,
    executable = True,
    attrs = TRANSITION_ATTRS | _SOURCES_ATTRS | _ENVIRONMENT_ATTRS | {
        "main": attr.string(mandatory = True, doc = "The module to run, with dots."),
    },
)

py_tool_test = rule(
    implementation = _py_tool_test_impl,
    test = True,
    attrs = _SOURCES_ATTRS | _ENVIRONMENT_ATTRS | {
        "env": attr.string_dict(doc = "Environment of the test; $(rlocationpath …) of data is expanded."),
        "env_inherit": attr.string_list(doc = "Variables that it takes from the environment of Bazel."),
    },
)

def py_tool(name, main, environment = "tools", **kwargs):
    """A program: `python -m main` with its sources on PYTHONPATH.

    Args:
        name: name of the target, also of the executable.
        main: the module to run.
        environment: the Python environment, a key of ENVIRONMENTS.
        **kwargs: srcs, data, deps, imports, and common attributes.
    """
    _py_tool(name = name, environment = environment_label(environment), main = main, **kwargs)
