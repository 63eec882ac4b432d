"""tf_library_archive: a .tar.gz with a carved library for apps in C and C++, with licenses and an SBOM."""

load("//rules:providers.bzl", "TfMobileLibraryInfo")
load("//rules/platforms:table.bzl", "PLATFORMS")
load("//rules/private/config:transitions.bzl", "TRANSITION_ATTRS", "each_platform")
load("//rules/private/outputs:declare.bzl", "declare_folder")
load("//rules/private/tfcarve:run_tfcarve.bzl", "TFCARVE_ATTRS", "run_tfcarve")

visibility("public")

def _library_archive_impl(ctx):
    folders = []
    proofs = []
    for platform in ctx.attr.platforms:
        info = ctx.split_attr.library[platform][TfMobileLibraryInfo]
        proofs += [info.proof] if info.proof else []
        files = [file for file in [
            info.proof,
            info.registrations,
            info.selection,
            info.sbom,
            info.shared_library,
            info.static_library,
        ] + info.link_fragments + info.include_trees if file and (ctx.attr.cpp_interface or file.basename != "include_cpp")]
        folder = declare_folder(ctx, platform)
        args = ctx.actions.args()
        args.add("archive")
        args.add_all(["%s=%s" % (file.basename, file.path) for file in files + [info.license_texts]])
        args.add_all(["licenses/%s=%s" % (file.basename, file.path) for file in ctx.files.license_files])
        args.add("--name", ctx.attr.package)
        args.add("--version", ctx.attr.version)
        args.add("--platform", platform)
        args.add_all("-o", [folder], expand_directories = False)
        run_tfcarve(
            ctx,
            args,
            inputs = files + [info.license_texts] + ctx.files.license_files,
            outputs = [folder],
            mnemonic = "TfArchive",
            progress_message = "Packing %{label} for " + platform,
        )
        folders.append(folder)
    return [DefaultInfo(files = depset(folders)), OutputGroupInfo(_validation = depset(proofs))]

_library_archive = rule(
    implementation = _library_archive_impl,
    attrs = TRANSITION_ATTRS | TFCARVE_ATTRS | {
        "cpp_interface": attr.bool(),
        "library": attr.label(cfg = each_platform, mandatory = True, providers = [TfMobileLibraryInfo]),
        "license_files": attr.label_list(allow_files = True),
        "package": attr.string(mandatory = True),
        "platforms": attr.string_list(mandatory = True, allow_empty = False),
        "version": attr.string(mandatory = True),
    },
)

def tf_library_archive(
        name,
        library,
        platforms,
        package = "tensorflow-core",
        version = "1.0",
        cpp_interface = False,
        license_files = [],
        **kwargs):
    """Packs a library for each platform into <name>/<platform>/<package>-<version>-<platform>.tar.gz.

    The archive has the library, the headers, the files for build systems, the licenses of all sources that the library contains,
    and an SBOM (SPDX 2.3), which lists their versions and archives. The folder also has the SBOM and SHA256SUMS. Equal inputs give
    equal bytes.

    Args:
      name: of the target.
      library: a tf_mobile_library or a tf_flex_delegate.
      platforms: names from //rules/platforms, of Linux or Android: ["linux_x86_64", "android_arm64"].
      package: name of the package.
      version: of the package.
      cpp_interface: whether the archive has the headers of TensorFlow's C++ interface, for a library with protos = "full".
      license_files: texts that the archive contains, such as the models' licenses.
      **kwargs: common attributes.
    """
    known = [platform for platform, row in PLATFORMS.items() if row.os in ["android", "linux"]]
    unknown = [platform for platform in platforms if platform not in known]
    if unknown:
        fail("tf_library_archive %s: not a platform of Linux or Android: %s; known platforms: %s" % (name, ", ".join(unknown), ", ".join(sorted(known))))
    _library_archive(
        name = name,
        library = library,
        platforms = platforms,
        package = package,
        version = version,
        cpp_interface = cpp_interface,
        license_files = license_files,
        **kwargs
    )
