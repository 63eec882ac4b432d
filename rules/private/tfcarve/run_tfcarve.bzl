"""run_tfcarve: an action that runs the command line tool."""

visibility(["//rules/private/..."])

# For rules that run the tool without full TensorFlow.
TFCARVE_ATTRS = {
    "_tfcarve": attr.label(
        default = "//tools:tfcarve",
        executable = True,
        cfg = "exec",
    ),
}

def run_tfcarve(ctx, args, **kwargs):
    """Declares an action that runs the tool of the rule's attribute `_tfcarve`.

    Args:
      ctx: of the rule.
      args: Args, the command and its options.
      **kwargs: other arguments of ctx.actions.run: inputs, outputs, mnemonic, progress_message…
    """
    ctx.actions.run(
        executable = ctx.executable._tfcarve,
        arguments = [args],
        **kwargs
    )
