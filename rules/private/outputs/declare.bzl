"""Outputs whose paths begin with the name of their target, so that outputs of two targets never have the same path."""

visibility(["//rules/private/..."])

def declare(ctx, name):
    """Declares a file in a folder named as the target.

    Args:
      ctx: of the rule.
      name: path below that folder.

    Returns:
      File.
    """
    return declare_named(ctx, "/" + name)

def declare_folder(ctx, name):
    """Declares a directory in a folder named as the target.

    Args:
      ctx: of the rule.
      name: path below that folder.

    Returns:
      File, a directory.
    """
    return ctx.actions.declare_directory("%s/%s" % (ctx.label.name, name))

def declare_named(ctx, suffix = ""):
    """Declares a file that is named as the target, in the folder of its package.

    Args:
      ctx: of the rule.
      suffix: the text that follows the target's name, for example ".json".

    Returns:
      File.
    """
    return ctx.actions.declare_file(ctx.label.name + suffix)
