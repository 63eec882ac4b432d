"""kernel_index: the index of all registrations in a TensorFlow source tree."""

visibility("public")

def _kernel_index_impl(ctx):
    index = ctx.actions.declare_file(ctx.label.name + ".json")
    args = ctx.actions.args()
    args.add("index")
    args.add("--tensorflow", ctx.label.workspace_root)
    args.add_all(ctx.attr.defines, before_each = "--define")
    args.add("-o", index)
    ctx.actions.run(
        executable = ctx.executable._tfcarve,
        arguments = [args],
        inputs = ctx.files.sources,
        outputs = [index],
        mnemonic = "TfKernelIndex",
        progress_message = "Indexing TensorFlow's kernels",
        # The C++ preprocessor is found on PATH.
        use_default_shell_env = True,
    )
    return [DefaultInfo(files = depset([index]))]

kernel_index = rule(
    implementation = _kernel_index_impl,
    doc = "Indexes the tree of the repository that the target is in.",
    attrs = {
        "defines": attr.string_list(mandatory = True, doc = "Macros of the compile."),
        "sources": attr.label(mandatory = True),
        "_tfcarve": attr.label(
            default = "//tools:tfcarve",
            executable = True,
            cfg = "exec",
        ),
    },
)
