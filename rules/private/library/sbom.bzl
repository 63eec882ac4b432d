"""sbom: the action that lists the sources of a library for security reviews, and collects their licenses."""

load("//rules:providers.bzl", "TensorFlowInfo")
load("//rules/private/outputs:declare.bzl", "declare", "declare_folder")
load("//rules/private/tfcarve:run_tfcarve.bzl", "run_tfcarve")

visibility(["//rules/private/..."])

# For rules that call `sbom`.
SBOM_ATTRS = {"_license": attr.label(default = "//:LICENSE", allow_single_file = True)}

def sbom(ctx, *, shared, report):
    """Declares the SBOM of a shared library.

    Args:
      ctx: of a rule with SBOM_ATTRS, TENSORFLOW_ATTRS and `_tfcarve`.
      shared: File, the library.
      report: File, its size report, which has the objects that the library contains.

    Returns:
      struct of Files: document (sbom.spdx.json), and licenses, a directory.
    """
    tensorflow = ctx.attr._tensorflow[TensorFlowInfo]
    document = declare(ctx, "sbom.spdx.json")
    licenses = declare_folder(ctx, "licenses")
    args = ctx.actions.args()
    args.add("sbom", shared)
    args.add("--report", report)
    args.add("--release", ".".join(tensorflow.version.split(".")[:2]))
    for name, files in tensorflow.components.items():
        args.add_all(files, before_each = "--origin", format_each = name + "=%s")
    args.add("--own-license", ctx.file._license)
    args.add("-o", document)
    args.add_all("--licenses", [licenses], expand_directories = False)
    run_tfcarve(
        ctx,
        args,
        inputs = depset(
            [shared, report, ctx.file._license],
            transitive = tensorflow.components.values(),
        ),
        outputs = [document, licenses],
        mnemonic = "TfSbom",
        progress_message = "Listing the sources of %{label}",
    )
    return struct(document = document, licenses = licenses)
