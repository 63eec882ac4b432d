"""The static archives of a library, with private symbols if requested."""

load("@rules_cc//cc:defs.bzl", "CcInfo", "cc_common")
load("//rules/private/cc:objects.bzl", "archive", "static_library")
load("//rules/private/outputs:declare.bzl", "declare")
load("//rules/private/tfcarve:run_tfcarve.bzl", "run_tfcarve")

visibility(["//rules/private/..."])

def static_archives(ctx, cc, *, registering, pulled_in):
    """Declares libtensorflow-core.a and libtensorflow-registrations.a.

    With the attribute `private_symbols`, all symbols except the C interface are renamed, so that an app can link
    another protobuf, Abseil or TensorFlow, and a library of the other kind.

    Args:
      ctx: of a rule with PRIVATE_SYMBOLS_ATTRS, `flex` and `_tfcarve`.
      cc: from cc_tools.
      registering: list of Files, the objects that must be forced into a link.
      pulled_in: list of Files, all other objects.

    Returns:
      struct(static, registrations): Files.
    """
    made = struct(
        static = declare(ctx, "libtensorflow-core.a"),
        registrations = declare(ctx, "libtensorflow-registrations.a"),
    )
    private = ctx.attr.private_symbols
    as_compiled = struct(
        static = declare(ctx, "parts/" + made.static.basename),
        registrations = declare(ctx, "parts/" + made.registrations.basename),
    ) if private else made
    archive(cc, output = as_compiled.static, objects = registering + pulled_in)
    archive(cc, output = as_compiled.registrations, objects = registering)
    if private:
        _rename(ctx, cc, {
            as_compiled.static: made.static,
            as_compiled.registrations: made.registrations,
        })
    return made

def private_cc_info(cc, info, linked):
    """CcInfo with the renamed archives, for targets that depend on a library with private symbols.

    Args:
      cc: from cc_tools.
      info: TfMobileLibraryInfo.
      linked: CcLinkingContext of the library's parts, for its system libraries.

    Returns:
      CcInfo.
    """
    flags = [flag for i in linked.linker_inputs.to_list() for flag in i.user_link_flags]
    return CcInfo(linking_context = cc_common.create_linking_context(
        linker_inputs = depset([cc_common.create_linker_input(
            owner = cc.label,
            libraries = depset([
                static_library(cc, archive_file = info.registrations, alwayslink = True),
                static_library(cc, archive_file = info.static_library, alwayslink = False),
            ]),
            user_link_flags = {flag: None for flag in flags}.keys(),
        )]),
    ))

def _rename(ctx, cc, archives):
    args = ctx.actions.args()
    args.add("private-symbols")
    args.add("--nm", cc.toolchain.nm_executable)
    args.add("--objcopy", cc.toolchain.objcopy_executable)
    if ctx.attr.flex:
        args.add("--flex")
    for source, output in archives.items():
        args.add_all("--archive", [source, output])
    run_tfcarve(
        ctx,
        args,
        inputs = depset(archives.keys(), transitive = [cc.toolchain.all_files]),
        outputs = archives.values(),
        mnemonic = "TfPrivateSymbols",
        progress_message = "Renaming the symbols of %{label}",
    )

PRIVATE_SYMBOLS_ATTRS = {
    "private_symbols": attr.bool(doc = "Whether all symbols of the archives except the C interface are renamed."),
}
