"""`tfcarve manifest`: the C++ source of the manifest that is embedded in a library."""

import argparse
from pathlib import Path

from tfcarve.commands import common, options
from tfcarve.emit import manifest as emit
from tfcarve.errors import InvalidInput
from tfcarve.models import memmapped
from tfcarve.proof import manifest
from tfcarve.releases import known
from tfcarve.selection import environment

NAME = "manifest"
HELP = "writes the C++ source of the manifest that is embedded in a library"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declares the arguments."""
    parser.add_argument("selection", type=Path, metavar="SELECTION", help="selection.json")
    parser.add_argument(
        "--no-table",
        action="store_true",
        help="lets the linker drop the table of registrations, which `tfcarve prove` reads",
    )
    parser.add_argument(
        "--require-session",
        action="store_true",
        help="fails if the selection is for a library that runs plans: the app calls TensorFlow's session",
    )
    options.add_output(parser, "the source")


def run(arguments: argparse.Namespace) -> int:
    """Writes the source."""
    selection = common.load_selection(arguments.selection)
    if arguments.require_session and selection.runtime != "session":
        raise InvalidInput(
            f'{arguments.selection}: is for a library that runs graphs as plans, but a library with protos = "full" is for '
            'apps that call TensorFlow\'s session: set runtime = "session" on the tf_selection'
        )
    source = emit.source(
        manifest.of(selection).to_json(),
        selection.runtime,
        keep_table=not arguments.no_table,
        reads_packages=any(model.format == memmapped.FORMAT for model in selection.models),
        has_environment=environment.is_needed(
            selection, known.for_version(selection.tensorflow.version)
        ),
        has_control_flow=selection.control_flow,
    )
    common.output(source, arguments.output)
    return 0
