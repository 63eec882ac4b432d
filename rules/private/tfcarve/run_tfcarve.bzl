"""run_tfcarve: an action that runs the command line tool."""

load("//rules/private/python:python.bzl", "PyToolInfo")

visibility(["//rules/private/..."])

def _attrs(tool):
    return {"_tfcarve": attr.label(default = tool, executable = True, cfg = "exec")}

# For rules whose actions run a command of //tools:build.
TFCARVE_ATTRS = _attrs("//tools:build")

# For programs that run another command without full TensorFlow.
ALL_COMMANDS_ATTRS = _attrs("//tools:tfcarve")

def system_tool(name):
    """An attribute with a program of the system; no file if it is not installed.

    Args:
      name: a target of @tfcarve_system_tools.
    """
    return attr.label(default = "@tfcarve_system_tools//:" + name, allow_files = True, cfg = "exec")

def run_tfcarve(ctx, args, system_tools = {}, **kwargs):
    """Declares an action that runs the tool of the rule's attribute `_tfcarve`.

    Args:
      ctx: of the rule.
      args: Args, the command and its options.
      system_tools: for the names of environment variables, the files of a `system_tool`.
      **kwargs: other arguments of ctx.actions.run: inputs, outputs, mnemonic, progress_message…
    """
    programs = {name: files[0] for name, files in system_tools.items() if files}
    ctx.actions.run(
        executable = ctx.executable._tfcarve,
        arguments = [args],
        env = {name: file.path for name, file in programs.items()} | {
            # The tool's own cache is no input of the action.
            "TFCARVE_INDEX_CACHE": "off",
        },
        execution_requirements = ctx.attr._tfcarve[PyToolInfo].execution_requirements,
        toolchain = None,
        tools = programs.values(),
        **kwargs
    )
