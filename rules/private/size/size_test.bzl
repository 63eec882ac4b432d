"""tf_size_test: a size budget for a library on each platform."""

load("@bazel_skylib//lib:shell.bzl", "shell")
load("@rules_cc//cc:defs.bzl", "cc_common")
load("//rules:providers.bzl", "TfMobileLibraryInfo")
load("//rules/platforms:table.bzl", "PLATFORMS")
load("//rules/private/config:transitions.bzl", "TRANSITION_ATTRS", "each_platform")
load("//rules/private/outputs:declare.bzl", "declare_named")
load("//rules/private/tfcarve:run_tfcarve.bzl", "ALL_COMMANDS_ATTRS")

visibility("public")

_MEASURES = ["stripped", "text", "gzip"]

# `bazel test` and `bazel run` start it in the runfiles' folder of the main repository.
_LAUNCHER = """\
#!/bin/sh
exec {command} "$@"
"""

def _own_name(ctx, platform, report):
    """The report under a name with its platform: in runfiles all reports would have the same name."""
    link = declare_named(ctx, ".%s.json" % platform)
    ctx.actions.symlink(output = link, target_file = report)
    return link

def _size_impl(ctx):
    reports = [
        _own_name(ctx, platform, ctx.split_attr.library[platform][TfMobileLibraryInfo].size_report)
        for platform in ctx.attr.platforms
        if ctx.split_attr._cc_toolchain[platform][cc_common.CcToolchainInfo].compiler != "none"
    ]
    budgets = declare_named(ctx, ".budgets.json")
    ctx.actions.write(budgets, ctx.attr.budgets)

    # By its absolute path, through which it finds its runfiles.
    command = ['"$PWD"/' + shell.quote(ctx.executable._tfcarve.short_path)] + {
        "check": _check_command,
        "comment": _comment_command,
        "update": _update_command,
    }[ctx.attr.mode](ctx, [shell.quote(report.short_path) for report in reports], shell.quote(budgets.short_path))
    launcher = declare_named(ctx)
    ctx.actions.write(launcher, _LAUNCHER.format(command = " ".join(command)), is_executable = True)
    files = reports + [budgets] + ([ctx.file.committed] if ctx.file.committed else [])
    return [DefaultInfo(
        executable = launcher,
        runfiles = ctx.runfiles(files = files).merge(ctx.attr._tfcarve[DefaultInfo].default_runfiles)
            .merge(ctx.runfiles(files = [ctx.executable._tfcarve])),
    )]

def _committed(ctx):
    return ["--committed", shell.quote(ctx.file.committed.short_path)] if ctx.file.committed else []

def _check_command(ctx, reports, budgets):
    # A platform without a toolchain has no report.
    percents = ["--growth", shell.quote(ctx.attr.growth), "--warning", shell.quote(ctx.attr.warning)]
    return ["size-check"] + reports + ["--budgets", budgets, "--allow-missing"] + percents + _committed(ctx)

def _update_command(ctx, reports, _budgets):
    """Writes the committed file in the source tree."""
    path = "/".join([part for part in [ctx.label.package, ctx.attr.committed_name] if part])
    return ["size-check"] + reports + ["--update", "--committed", '"$BUILD_WORKSPACE_DIRECTORY"/' + shell.quote(path)]

def _comment_command(ctx, reports, _budgets):
    return ["size-comment"] + _committed(ctx) + ["--new"] + reports

_ATTRS = TRANSITION_ATTRS | ALL_COMMANDS_ATTRS | {
    "budgets": attr.string(mandatory = True, doc = "JSON: bytes by platform and measure."),
    "committed": attr.label(allow_single_file = [".json"]),
    "committed_name": attr.string(),
    "growth": attr.string(mandatory = True),
    "library": attr.label(cfg = each_platform, mandatory = True, providers = [TfMobileLibraryInfo]),
    "mode": attr.string(values = ["check", "comment", "update"], mandatory = True),
    "platforms": attr.string_list(mandatory = True, doc = "The keys of `budgets`."),
    "warning": attr.string(mandatory = True),
    "_cc_toolchain": attr.label(
        default = "@bazel_tools//tools/cpp:current_cc_toolchain",
        cfg = each_platform,
    ),
}

_size_test = rule(implementation = _size_impl, attrs = _ATTRS, test = True)

_size_tool = rule(implementation = _size_impl, attrs = _ATTRS, executable = True)

def tf_size_test(
        name,
        library,
        budgets,
        committed = None,
        growth = "0.1",
        warning = "2",
        tags = [],
        **kwargs):
    """Fails if a library exceeds its budget, or has grown beyond the committed figures.

    The message lists the added ops, classes and files, with the models that need them and with their largest symbols.
    `<name>.update` writes the committed file with the current sizes and prints a line for the commit message:

        bazel run //:size.update

    `<name>.comment` prints the changes since the committed file, for a pull request.

    The committed file has waivers too: objects with platform, measure, limit in bytes, reason and until, the last day
    (2026-12-31) on which they are valid.

    Args:
      name: of the test.
      library: a tf_mobile_library.
      budgets: dict, platform to dict, "stripped", "text" or "gzip" to bytes: the shared library without symbols, its
        read-only loaded segments, and its size after gzip -9. A platform with an empty dict is only compared with
        the committed figures.
      committed: name of a JSON file in this package, in version control; it may not exist yet.
      growth: allowed growth over the committed figures in percent, as a string. The default allows the changes that other
        versions of zlib and the linker cause.
      warning: a warning is printed within this many percent of a budget, as a string.
      tags: tags of the test.
      **kwargs: common attributes of tests.
    """
    _check(name, budgets)
    shared = {
        "budgets": json.encode(budgets),
        "growth": growth,
        "library": library,
        "platforms": budgets.keys(),
        "warning": warning,
    }
    there = native.glob([committed], allow_empty = True) if committed else []
    _size_test(
        name = name,
        committed = there[0] if there else None,
        mode = "check",
        # A waiver ends on a day, which is not an input of the test.
        tags = tags + (["external"] if there else []),
        **(shared | kwargs)
    )
    for mode in ["comment", "update"] if committed else []:
        _size_tool(
            name = "%s.%s" % (name, mode),
            committed = there[0] if there else None,
            committed_name = committed,
            mode = mode,
            tags = tags + ["manual"],
            testonly = True,
            **shared
        )

def _check(name, budgets):
    unknown = [p for p in budgets if p not in PLATFORMS or not PLATFORMS[p].shared_library]
    if unknown:
        fail("tf_size_test %s: platform %s has no shared library; platforms with one: %s" % (
            name,
            ", ".join(unknown),
            ", ".join(sorted([p for p, row in PLATFORMS.items() if row.shared_library])),
        ))
    if not budgets:
        fail("tf_size_test %s: budgets names no platform" % name)
    for platform, limits in budgets.items():
        for measure, limit in limits.items():
            if measure not in _MEASURES:
                fail("tf_size_test %s: %s: unknown measure %r; known measures: %s" % (
                    name,
                    platform,
                    measure,
                    ", ".join(_MEASURES),
                ))
            if type(limit) != "int" or limit <= 0:
                fail("tf_size_test %s: %s: %s: expected a number of bytes, got %r" % (name, platform, measure, limit))
