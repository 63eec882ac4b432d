"""`tfcarve optional-sources`: writes units for the optional sources of the runtime that a library needs."""

from __future__ import annotations

import argparse
import subprocess
from collections.abc import Sequence
from pathlib import Path

from tfcarve import files
from tfcarve.commands import common, options
from tfcarve.emit import units
from tfcarve.errors import InvalidInput
from tfcarve.releases import known
from tfcarve.runtime_sources import optional_sources

NAME = "optional-sources"
HELP = "writes a unit for each source of the runtime that the objects of a library refer to and that is not part of the core"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declares the arguments."""
    parser.add_argument("selection", type=Path, metavar="SELECTION", help="selection.json")
    parser.add_argument(
        "--objects",
        nargs="+",
        type=Path,
        required=True,
        metavar="FILE",
        help="the objects of the library, and of the core",
    )
    parser.add_argument(
        "--shared",
        action="append",
        choices=sorted(optional_sources.SHARED),
        default=[],
        help="a part of the runtime whose objects are among these objects; may be repeated",
    )
    parser.add_argument(
        "--nm",
        default="nm",
        metavar="PROGRAM",
        help="nm of the target's toolchain (default: %(default)s)",
    )
    parser.add_argument(
        "--sources",
        type=options.output_folder,
        required=True,
        metavar="DIR",
        help="folder for the units of TensorFlow's sources, and of tfcarve's",
    )
    parser.add_argument(
        "--third-party",
        type=options.output_folder,
        required=True,
        metavar="DIR",
        help="folder for the units of other projects' sources",
    )


def _missing(nm: str, objects: Sequence[Path]) -> set[str]:
    """Returns the symbols that objects refer to and that no object defines."""
    try:
        done = subprocess.run(
            [nm, "-P", "-g", *map(str, objects)], check=False, text=True, capture_output=True
        )
    except OSError as error:
        raise InvalidInput(f"{nm}: cannot be run: {error.strerror}") from None
    if done.returncode:
        raise InvalidInput(f"{nm}: {done.stderr.strip()[-400:]}")
    undefined, defined = set(), set()
    for line in done.stdout.splitlines():
        symbol, _, kind = line.partition(" ")
        if kind.startswith("U"):
            undefined.add(symbol)
        # Weak references (v, w) may stay undefined; lines without a kind name an object.
        elif kind and not kind.startswith(("v", "w")):
            defined.add(symbol)
    return undefined - defined


def run(arguments: argparse.Namespace) -> int:
    """Writes the folders."""
    version = common.load_selection(arguments.selection).tensorflow.version
    optional = optional_sources.read(known.for_version(version))
    missing = _missing(arguments.nm, arguments.objects)
    paths = optional_sources.needed(optional, missing, arguments.shared)
    ours = [path for path in paths if path.startswith(optional_sources.TENSORFLOW)]
    others = [path for path in paths if not path.startswith(optional_sources.TENSORFLOW)]
    for folder in (arguments.sources, arguments.third_party):
        files.require_own(folder, units.is_unit)
    files.write_directory(arguments.sources, units.optional(ours))
    files.write_directory(arguments.third_party, units.optional(others))
    return 0
