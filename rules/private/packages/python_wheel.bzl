"""tf_python_wheel: a Python wheel with a carved library and its models, or with a Flex delegate."""

load("//rules:providers.bzl", "TfMobileLibraryInfo")
load("//rules/private/config:transitions.bzl", "TRANSITION_ATTRS", "each_platform")
load("//rules/private/outputs:declare.bzl", "declare_folder")
load("//rules/private/tfcarve:run_tfcarve.bzl", "ALL_COMMANDS_ATTRS", "run_tfcarve")
load(":require_platforms.bzl", "require_platforms")

visibility("public")

def _python_wheel_impl(ctx):
    folders = []
    proofs = []
    for platform in ctx.attr.platforms:
        info = ctx.split_attr.library[platform][TfMobileLibraryInfo]
        library = info.shared_library
        proofs += [info.proof] if info.proof else []

        # The wheel's name has the versions of glibc and libstdc++ that the library needs.
        folder = declare_folder(ctx, platform)
        args = ctx.actions.args()
        args.add("wheel")
        args.add(library)
        args.add_all(ctx.files.models, before_each = "--model")
        args.add("--name", ctx.attr.package)
        args.add("--version", ctx.attr.version)
        args.add_all(ctx.files.license_files, before_each = "--license")
        args.add_all("--licenses", [info.license_texts], expand_directories = False)
        args.add("--sbom", info.sbom)
        args.add_all("-o", [folder], expand_directories = False)
        run_tfcarve(
            ctx,
            args,
            inputs = [library, info.license_texts, info.sbom] + ctx.files.models + ctx.files.license_files,
            outputs = [folder],
            mnemonic = "TfWheel",
            progress_message = "Packing %{label} for " + platform,
        )
        folders.append(folder)
    return [DefaultInfo(files = depset(folders)), OutputGroupInfo(_validation = depset(proofs))]

_python_wheel = rule(
    implementation = _python_wheel_impl,
    attrs = TRANSITION_ATTRS | ALL_COMMANDS_ATTRS | {
        "library": attr.label(cfg = each_platform, mandatory = True, providers = [TfMobileLibraryInfo]),
        "license_files": attr.label_list(allow_files = True),
        "models": attr.label_list(allow_files = [".pb"]),
        "package": attr.string(mandatory = True),
        "platforms": attr.string_list(mandatory = True, allow_empty = False),
        "version": attr.string(mandatory = True),
    },
)

def tf_python_wheel(name, library, package, platforms, models = [], version = "1.0", license_files = [], **kwargs):
    """Packs a library and its models into a Python wheel for each platform: <name>/<platform>/*.whl.

    A wheel for a tf_mobile_library has a class `Model`, which takes and returns NumPy arrays. A wheel for a tf_flex_delegate has a
    function `load_delegate` for the interpreter of ai-edge-litert. The platform in a wheel's name says which glibc it needs.

    Args:
      name: of the target.
      library: a tf_mobile_library or a tf_flex_delegate.
      package: name of the Python package and of the distribution: lower-case letters, digits and _.
      platforms: names from //rules/platforms, of Linux: ["linux_arm64", "linux_x86_64"].
      models: frozen GraphDefs that the library runs, such as tf_prepared_models; none for a delegate. `Model` finds them by the
        name of their file.
      version: of the distribution.
      license_files: texts that the wheel contains, such as the models' licenses.
      **kwargs: common attributes.
    """
    require_platforms("tf_python_wheel %s" % name, platforms, "linux")
    _python_wheel(
        name = name,
        library = library,
        package = package,
        platforms = platforms,
        models = models,
        version = version,
        license_files = license_files,
        **kwargs
    )
