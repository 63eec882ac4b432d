"""`tfcarve link-facts`: how a library is linked, for other build systems."""

import argparse
from pathlib import Path

from tfcarve import files
from tfcarve.commands import common
from tfcarve.emit import link_facts

NAME = "link-facts"
HELP = "writes how a library is linked, for CMake, make, pkg-config, ndk-build and Xcode"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declares the arguments."""
    parser.add_argument("facts", type=Path, metavar="FACTS", help="the facts, as JSON")
    parser.add_argument(
        "--selection", type=Path, required=True, metavar="FILE", help="selection.json"
    )
    parser.add_argument(
        "-o",
        "--output",
        type=Path,
        action="append",
        required=True,
        metavar="FILE",
        help=f"what is to be written, named {', '.join(sorted(link_facts.FRAGMENTS))}; may be repeated",
    )


def run(arguments: argparse.Namespace) -> int:
    """Writes the files: all of them, or none."""
    facts = link_facts.parse(files.read_json(arguments.facts), str(arguments.facts))
    version = common.load_selection(arguments.selection).tensorflow.version
    made = {path: link_facts.fragment(facts, path.name, version) for path in arguments.output}
    for path, content in made.items():
        files.write_if_changed(path, content)
    return 0
