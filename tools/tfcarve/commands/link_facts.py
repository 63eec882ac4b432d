"""`tfcarve link-facts`: files with which other build systems link a library, from its link facts."""

import argparse
from pathlib import Path

from tfcarve import files
from tfcarve.commands import common, options
from tfcarve.emit import link_facts

NAME = "link-facts"
HELP = "writes the files with which CMake, make, pkg-config, ndk-build and Xcode link a library"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declares the arguments."""
    parser.add_argument(
        "facts",
        type=Path,
        metavar="FACTS",
        help="the library's link facts: platform, linker flags and macros, as JSON",
    )
    parser.add_argument(
        "--selection", type=Path, required=True, metavar="FILE", help="selection.json"
    )
    parser.add_argument(
        "-o",
        "--output",
        type=options.not_standard_output("the name of a file selects its content"),
        action="append",
        required=True,
        metavar="FILE",
        help=f"file to write, named {', '.join(sorted(link_facts.FRAGMENTS))}; may be repeated",
    )


def run(arguments: argparse.Namespace) -> int:
    """Writes all files, or none on an error."""
    facts = link_facts.parse(files.read_bytes(arguments.facts), str(arguments.facts))
    selection = common.load_selection(arguments.selection)
    contents = {
        path: link_facts.fragment(
            facts,
            path.name,
            selection.tensorflow.version,
            has_session=selection.runtime == "session",
        )
        for path in arguments.output
    }
    for path, content in contents.items():
        files.write_if_changed(path, content)
    return 0
