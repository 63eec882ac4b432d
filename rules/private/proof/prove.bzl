"""The manifest of a carved library, and the proof that the library has what was selected."""

load("@rules_cc//cc:defs.bzl", "CcInfo")
load("//rules/private/cc:copts.bzl", "LIBRARY_COPTS")
load("//rules/private/cc:objects.bzl", "compile")
load("//rules/private/outputs:declare.bzl", "declare")
load("//rules/private/tfcarve:run_tfcarve.bzl", "run_tfcarve")

visibility(["//rules/private/..."])

# Only a reference to its bounds keeps the table in the link; a library without the table has no such reference.
PROVE_LINK_FLAGS = ["-Wl,-z,nostart-stop-gc"]

def manifest_objects(ctx, cc, *, selection):
    """Compiles the unit with the manifest: the models that the library was built for.

    Args:
      ctx: of a rule with PROVE_ATTRS.
      cc: from cc_tools.
      selection: File, selection.json.

    Returns:
      list of Files: the objects, which are archived with the units.
    """
    unit = declare(ctx, "manifest/manifest.cc")
    args = ctx.actions.args()
    args.add("manifest")
    args.add(selection)
    if not ctx.attr.registration_table:
        args.add("--no-table")
    if ctx.attr.protos == "full":
        args.add("--require-session")
    args.add("-o", unit)
    run_tfcarve(
        ctx,
        args,
        inputs = [selection],
        outputs = [unit],
        mnemonic = "TfManifest",
        progress_message = "Writing the manifest of %{label}",
    )
    return compile(
        cc,
        name = ctx.label.name + "/manifest",
        srcs = [unit],
        copts = LIBRARY_COPTS,
        contexts = [ctx.attr._manifest[CcInfo].compilation_context],
    )

def proof(ctx, *, library, selection, units, cpu):
    """Declares the action that compares a library with its selection.

    It is a validation action: it runs on every build, and a failure stops the build. --norun_validations skips it.

    Args:
      ctx: of a rule with PROVE_ATTRS.
      library: File, the shared library, or the archive of the units if there is no shared library.
      selection: File, selection.json.
      units: File, the archive of the units.
      cpu: the CPU that the library must be for, a value of @platforms//cpu; "" if it is not known.

    Returns:
      File: the proof, for the output group _validation; None for a library without the table of registrations.
    """
    if not ctx.attr.registration_table:
        return None
    output = declare(ctx, "proof.json")
    args = ctx.actions.args()
    args.add("prove")
    args.add(library)
    args.add(selection)
    args.add("--units", units)
    if cpu:
        args.add("--cpu", cpu)
    args.add("--json")
    args.add("-o", output)
    run_tfcarve(
        ctx,
        args,
        inputs = [library, selection, units],
        outputs = [output],
        mnemonic = "TfProve",
        progress_message = "Proving %{label}",
    )
    return output

PROVE_ATTRS = {
    "registration_table": attr.bool(
        default = True,
        doc = "Whether the shared library has the table of its registrations, which `tfcarve prove` reads: " +
              "about 50 bytes for each op and kernel. Without it, the build does not prove that the library " +
              "has what was selected.",
    ),
    "_manifest": attr.label(default = "//tools/runtime/api:manifest"),
}
