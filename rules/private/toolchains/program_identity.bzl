"""The identity of a program of the system: its version and the SHA-256 of its files.

It is an input of the actions that run the program, so that machines with other programs do not share outputs.
"""

visibility(["//rules/private/toolchains"])

def _digest(ctx, path):
    """SHA-256 of a file, which Bazel then watches; empty if no program computes it."""
    if hasattr(ctx, "watch"):
        ctx.watch(path)
    for command in [["sha256sum"], ["shasum", "-a", "256"]]:
        program = ctx.which(command[0])
        if program:
            return ctx.execute([program] + command[1:] + [path]).stdout.partition(" ")[0]
    return ""

def _part(ctx, program, option):
    """A program that another one runs: its path, or None. Compilers print a name if they look for it on PATH."""
    printed = ctx.execute([program, option]).stdout.strip()
    return ctx.path(printed) if printed.startswith("/") else ctx.which(printed) if printed else None

# Options of compilers that print the programs that they run.
COMPILER_PARTS = [
    "-print-prog-name=as",
    "-print-prog-name=cc1",
    "-print-prog-name=cc1plus",
]

def program_identity(ctx, program, version = "--version", parts = []):
    """The identity of a program.

    Args:
      ctx: of a repository rule.
      program: path.
      version: the option that prints its version.
      parts: list of options that print the paths of programs that it runs.

    Returns:
      list of strings: the first line that it prints about its version, and the SHA-256 of its file and of its parts, in a line.
    """
    printed = ctx.execute([program, version], environment = {"LC_ALL": "C"})
    found = [program] + [_part(ctx, program, option) for option in parts]
    return [
        (printed.stdout or printed.stderr).partition("\n")[0],
        " ".join([_digest(ctx, path.realpath) for path in found if path]),
    ]

def identity_file(ctx, name, program, parts = []):
    """Writes the identity of a program.

    Args:
      ctx: of a repository rule.
      name: path of the file; it is empty if there is no program.
      program: path, or None.
      parts: list of options that print the paths of programs that it runs.
    """
    lines = program_identity(ctx, program, parts = parts) if program else []
    ctx.file(name, "".join([line + "\n" for line in lines]))
