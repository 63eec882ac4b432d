"""tf_multi_platform_library: one carved library, built for several platforms at once."""

load("@bazel_skylib//rules:common_settings.bzl", "BuildSettingInfo")
load("@rules_cc//cc:defs.bzl", "cc_common")
load("//rules:providers.bzl", "TfMobileLibraryInfo")
load("//rules/platforms:table.bzl", "PLATFORMS")
load("//rules/private/config:transitions.bzl", "TRANSITION_ATTRS", "each_platform")
load("//rules/private/outputs:declare.bzl", "declare", "declare_folder")
load("//rules/private/toolchains:missing_toolchains.bzl", "MissingToolchainsInfo")

visibility("public")

def _multi_platform_library_impl(ctx):
    groups = {}
    skipped = []
    for platform in ctx.attr.platforms:
        if ctx.split_attr._cc_toolchain[platform][cc_common.CcToolchainInfo].compiler == "none":
            skipped.append(platform)
            files, programs, listed = [_skipped(ctx, platform)], [], []
        else:
            library = ctx.split_attr.library[platform][TfMobileLibraryInfo]
            own = [
                library.proof,
                library.registrations,
                library.selection,
                library.shared_library,
                library.static_library,
            ] + library.link_fragments + library.include_trees

            # There is no shared library for iOS, no proof without the table of registrations, and no program that runs a
            # Flex delegate.
            files = [_placed(ctx, platform, f) for f in own if f]
            programs = [_placed(ctx, platform, f) for f in [library.runner, library.benchmark] if f]
            listed = [_placed(ctx, platform, f) for f in [library.sbom, library.license_texts] if f]
        groups[platform] = depset(files)
        groups[platform + "_programs"] = depset(programs)
        groups[platform + "_sbom"] = depset(listed)
    if skipped:
        _report_skipped(ctx, skipped)
    return [
        DefaultInfo(files = depset(transitive = [groups[platform] for platform in ctx.attr.platforms])),
        OutputGroupInfo(**groups),
    ]

def _reason(ctx, platform):
    reasons = ctx.attr._missing[MissingToolchainsInfo].reasons
    return "%s: no C++ toolchain: %s" % (platform, reasons[platform])

def _report_skipped(ctx, platforms):
    """Fails for platforms without a toolchain; prints them and why if they may be skipped."""
    reasons = "".join(["\n  " + _reason(ctx, platform) for platform in platforms])
    if not ctx.attr._skip_missing[BuildSettingInfo].value:
        fail("%s cannot be built for all of its platforms:%s\nWith --@tfcarve//rules/config:skip_missing_platforms these are skipped." % (ctx.label, reasons))

    # buildifier: disable=print
    print("%s skips platforms that cannot be built on this machine:%s" % (ctx.label, reasons))

def _skipped(ctx, platform):
    """<name>/<platform>/skipped.txt: the reason, where the library would be."""
    output = declare(ctx, platform + "/skipped.txt")
    ctx.actions.write(output, _reason(ctx, platform) + "\n")
    return output

def _placed(ctx, platform, file):
    """The file below <name>/<platform>/, because the files of all platforms have the same names."""
    name = "%s/%s" % (platform, file.basename)
    link = declare_folder(ctx, name) if file.is_directory else declare(ctx, name)
    ctx.actions.symlink(output = link, target_file = file)
    return link

_multi_platform_library = rule(
    implementation = _multi_platform_library_impl,
    attrs = TRANSITION_ATTRS | {
        "library": attr.label(
            cfg = each_platform,
            mandatory = True,
            providers = [TfMobileLibraryInfo],
        ),
        "platforms": attr.string_list(mandatory = True, allow_empty = False),
        "_cc_toolchain": attr.label(
            default = "@bazel_tools//tools/cpp:current_cc_toolchain",
            cfg = each_platform,
        ),
        "_missing": attr.label(default = "@tfcarve_cross//:missing", providers = [MissingToolchainsInfo]),
        "_skip_missing": attr.label(default = "//rules/config:skip_missing_platforms"),
    },
)

def tf_multi_platform_library(name, library, platforms, **kwargs):
    """Builds a tf_mobile_library for several platforms.

    Outputs are in <name>/<platform>/, with the proof that the library has what was selected. Each platform is an
    output group; <platform>_programs has run_model and benchmark_model, which run and measure a model in that library, and
    <platform>_sbom the SBOM (SPDX 2.3) and the licenses of the sources that the library contains.
    Bazel runs the validation actions of all platforms for any output group, and so builds all of them;
    --output_groups=<platform> --norun_validations builds and proves one. The build fails if a platform has no C++
    toolchain. With --@tfcarve//rules/config:skip_missing_platforms it skips the platform and prints the reason, which
    is also in <name>/<platform>/skipped.txt.

    Args:
      name: of the target.
      library: a tf_mobile_library.
      platforms: names from //rules/platforms, for example ["linux_x86_64", "linux_arm64"].
      **kwargs: common attributes.
    """
    unknown = [p for p in platforms if p not in PLATFORMS]
    if unknown:
        fail("tf_multi_platform_library %s: unknown platform %s; known platforms: %s" % (
            name,
            ", ".join(unknown),
            ", ".join(sorted(PLATFORMS)),
        ))
    _multi_platform_library(name = name, library = library, platforms = platforms, **kwargs)
