"""`tfcarve units`: what the selected sources are compiled through."""

import argparse
from collections.abc import Sequence
from pathlib import Path

from tfcarve import files
from tfcarve.commands import common
from tfcarve.emit import units
from tfcarve.errors import CheckFailed, InvalidInput
from tfcarve.releases import known
from tfcarve.releases.release import Release
from tfcarve.selection import libraries
from tfcarve.selection.selection import Selection

NAME = "units"
HELP = "writes a unit of three lines for each selected source"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declares the arguments."""
    parser.add_argument("selection", type=Path, metavar="SELECTION", help="selection.json")
    parser.add_argument(
        "--units",
        type=Path,
        required=True,
        metavar="DIR",
        help="folder for the units of sources that register something, and nothing else",
    )
    parser.add_argument(
        "--helpers",
        type=Path,
        metavar="DIR",
        help="folder for those of the sources that they need to link",
    )
    for name in ("units", "helpers"):
        parser.add_argument(
            f"--hot-{name}",
            type=Path,
            metavar="DIR",
            help=f"folder for those that are compiled for speed; else they are in that of --{name}",
        )
    parser.add_argument(
        "--define",
        action="append",
        default=[],
        metavar="NAME[=VALUE]",
        help="a define of the compile; where any are given, a selection made for others is refused",
    )


def _require_same_defines(of_compile: Sequence[str], of_selection: Sequence[str]) -> None:
    ours, theirs = set(of_compile), set(of_selection)
    if ours and ours != theirs:
        raise InvalidInput(
            "the selection was made for other defines than the compile has:\n"
            f"  only in the selection: {' '.join(sorted(theirs - ours)) or 'none'}\n"
            f"  only in the compile:   {' '.join(sorted(ours - theirs)) or 'none'}\n"
            "they decide which kernels there are: make the index with those of the compile"
        )


def _require_libraries(selection: Selection, release: Release, name: Path) -> None:
    problems = libraries.missing(selection, release)
    if problems:
        raise CheckFailed(
            f"{name}: no library can be built from it, for want of what tfcarve does not build:",
            problems,
        )


def _parts(
    arguments: argparse.Namespace, selection: Selection, release: Release
) -> list[tuple[str, Path, dict[str, bytes]]]:
    """Returns what each folder is for, its path and the files that go into it."""
    hot = units.hot_names(selection, release)
    parts = []
    for name, cold_folder, hot_folder, emit in (
        ("units", arguments.units, arguments.hot_units, units.units),
        ("helpers", arguments.helpers, arguments.hot_helpers, units.helpers),
    ):
        if cold_folder is None and hot_folder is not None:
            raise InvalidInput(f"--hot-{name}: give --{name} as well, for those that are not hot")
        if cold_folder is None:
            continue
        made = emit(selection)
        apart = made.keys() & hot if hot_folder is not None else frozenset()
        parts.append((name, cold_folder, {n: t for n, t in made.items() if n not in apart}))
        if hot_folder is not None:
            parts.append((f"hot {name}", hot_folder, {n: made[n] for n in sorted(apart)}))
    return parts


def _require_distinct(parts: Sequence[tuple[str, Path, dict[str, bytes]]]) -> None:
    seen: dict[Path, str] = {}
    for name, folder, _ in parts:
        other = seen.setdefault(folder.resolve(), name)
        if other != name:
            raise InvalidInput(f"{folder}: for the {other} and for the {name}: give two folders")


def run(arguments: argparse.Namespace) -> int:
    """Writes the folders."""
    selection = common.load_selection(arguments.selection)
    _require_same_defines(arguments.define, selection.tensorflow.defines)
    release = known.nearest(selection.tensorflow.version)
    _require_libraries(selection, release, arguments.selection)
    parts = _parts(arguments, selection, release)
    _require_distinct(parts)
    for _, folder, _ in parts:
        files.require_own(folder, units.is_unit)
    for _, folder, content in parts:
        files.write_directory(folder, content)
    return 0
