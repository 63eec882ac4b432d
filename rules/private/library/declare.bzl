"""declare: an output in the folder of its target."""

visibility(["//rules/private/..."])

def declare(ctx, name):
    """Declares a file in a folder named as the target, so that outputs of two targets never have the same path.

    Args:
      ctx: of the rule.
      name: path below that folder.

    Returns:
      File.
    """
    return ctx.actions.declare_file(ctx.label.name + "/" + name)
