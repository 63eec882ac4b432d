"""The command line of tfcarve.

Exit status: 0 done, 1 a check failed (such as a missing op or kernel), 2 invalid input or usage, 3 an error in tfcarve.
"""

import argparse
import shutil
import sys
from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext, redirect_stdout
from pathlib import Path

from tfcarve import __version__, files
from tfcarve.commands import GROUPS, NAMES, load
from tfcarve.errors import InvalidInput, TfcarveError
from tfcarve.nearest import nearest
from tfcarve.overview import overview
from tfcarve.printable import printable_lines


def parser(names: Sequence[str] = NAMES) -> argparse.ArgumentParser:
    """Returns the parser for the subcommands `names`."""
    loaded = {name: load(name) for name in names}
    top = argparse.ArgumentParser(
        prog="tfcarve",
        description="Builds the smallest TensorFlow library that runs your models.",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    if names == NAMES:
        helps = {name: command.HELP for name, command in loaded.items()}
        # The width of argparse's own lines.
        top.epilog = overview(GROUPS, helps, shutil.get_terminal_size().columns - 2)
    top.add_argument("--version", action="version", version=f"tfcarve {__version__}")
    commands = top.add_subparsers(
        metavar="COMMAND",
        required=True,
        help="one of the commands below; `tfcarve COMMAND --help` lists its arguments",
    )
    for name, command in loaded.items():
        sub = commands.add_parser(name, description=command.HELP)
        command.add_arguments(sub)
        sub.set_defaults(run=command.run)
    return top


def _parsed(argv: Sequence[str]) -> argparse.Namespace:
    """Parses a command line; raises SystemExit after it printed help or an error."""
    if argv and argv[0] in NAMES:
        return parser(argv[:1]).parse_args(argv)
    if argv and not argv[0].startswith("-"):
        hint = nearest(argv[0], NAMES) or "; `tfcarve --help` lists the commands"
        parser(()).error(f"{argv[0]!r}: no such command{hint}")
    return parser().parse_args(argv)


def _printing(arguments: argparse.Namespace) -> AbstractContextManager[object]:
    """Sends what a command prints to standard error if its output is standard output, so that they do not mix.

    Raises:
      InvalidInput: two outputs are standard output.
    """
    taken = [
        f"--{name.replace('_', '-')}"
        for name, value in vars(arguments).items()
        if isinstance(value, Path) and files.is_standard_output(value)
    ]
    if len(taken) > 1:
        raise InvalidInput(
            f"{' and '.join(taken)}: both are standard output: pass a file to one of them"
        )
    return redirect_stdout(sys.stderr) if taken else nullcontext()


def main(argv: Sequence[str]) -> int:
    """Runs a command line, without the program's name; returns the exit status."""
    try:
        arguments = _parsed(argv)
    except SystemExit as stop:
        return int(stop.code or 0)
    try:
        with _printing(arguments):
            return int(arguments.run(arguments) or 0)
    except TfcarveError as error:
        print(printable_lines(f"tfcarve: {error}"), file=sys.stderr)
        return error.exit_status
    except BrokenPipeError:
        sys.stderr.close()
        return 0


def entry_point() -> None:
    """Runs the installed command `tfcarve`."""
    sys.exit(main(sys.argv[1:]))
