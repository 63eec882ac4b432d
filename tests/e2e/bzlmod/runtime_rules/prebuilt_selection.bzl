"""prebuilt_selection: existing files as the output of a tf_selection."""

load("@tfcarve//rules:defs.bzl", "TfSelectionInfo")

def _prebuilt_selection_impl(ctx):
    return [
        DefaultInfo(files = depset([ctx.file.selection])),
        TfSelectionInfo(
            selection = ctx.file.selection,
            header = ctx.file.header,
            op_files = ctx.file.op_files,
            custom_ops = depset(ctx.files.custom_ops),
        ),
    ]

prebuilt_selection = rule(
    implementation = _prebuilt_selection_impl,
    doc = "Provides TfSelectionInfo for existing files.",
    attrs = {
        "custom_ops": attr.label_list(allow_files = True, doc = "C++ sources and headers of ops that are not TensorFlow's."),
        "header": attr.label(allow_single_file = True, doc = "ops_to_register.h"),
        "op_files": attr.label(allow_single_file = True, doc = "tf_op_files.txt"),
        "selection": attr.label(allow_single_file = True, doc = "selection.json"),
    },
)
