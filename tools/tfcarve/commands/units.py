"""`tfcarve units`: writes the units that compile the selected sources."""

import argparse
from collections.abc import Sequence
from functools import partial
from pathlib import Path

from tfcarve import files
from tfcarve.commands import common, options
from tfcarve.emit import units
from tfcarve.errors import CheckFailed, InvalidInput
from tfcarve.registry import index
from tfcarve.registry.index import KernelIndex
from tfcarve.releases import known
from tfcarve.releases.release import Release
from tfcarve.selection import libraries
from tfcarve.selection.selection import Selection

NAME = "units"
HELP = "writes a unit, a small generated source, for each selected source"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declares the arguments."""
    parser.add_argument("selection", type=Path, metavar="SELECTION", help="selection.json")
    parser.add_argument(
        "--units",
        type=options.output_folder,
        required=True,
        metavar="DIR",
        help="folder for the units of sources that register something; must contain nothing else",
    )
    parser.add_argument(
        "--helpers",
        type=options.output_folder,
        metavar="DIR",
        help="folder for the units of helper sources",
    )
    parser.add_argument(
        "--libraries",
        type=options.output_folder,
        metavar="DIR",
        help="folder for the units of C sources of third-party libraries",
    )
    parser.add_argument(
        "--index",
        type=Path,
        metavar="FILE",
        help="index.json of the selection: a library that runs plans gets op definitions as data "
        "(default: the sources of op definitions are compiled)",
    )
    for name in ("units", "helpers"):
        parser.add_argument(
            f"--hot-{name}",
            type=options.output_folder,
            metavar="DIR",
            help=f"folder for the {name} that are compiled for speed (default: the folder of --{name})",
        )
    parser.add_argument(
        "--define",
        action="append",
        default=[],
        metavar="NAME[=VALUE]",
        help="a macro that the compile defines; may be repeated; a selection for other defines is refused",
    )
    parser.add_argument(
        "--target",
        metavar="NAME",
        help="the target of the compile; a selection for another target is refused",
    )


def _require_same_defines(of_compile: Sequence[str], of_selection: Sequence[str]) -> None:
    compiled, selected = set(of_compile), set(of_selection)
    if compiled and compiled != selected:
        raise InvalidInput(
            "the selection and the compile have different defines:\n"
            f"  only in the selection: {' '.join(sorted(selected - compiled)) or 'none'}\n"
            f"  only in the compile:   {' '.join(sorted(compiled - selected)) or 'none'}\n"
            "registrations depend on them: create the index with the defines of the compile"
        )


def _require_same_target(of_compile: str | None, of_selection: str) -> None:
    # A selection made on the command line may have no target; `prove` finds classes that its platform does not register.
    if of_compile is not None and of_selection and of_selection != of_compile:
        raise InvalidInput(
            f"the selection is for the target {of_selection}, the compile for {of_compile}: "
            "create the index with the macros of the compile's target"
        )


def _require_libraries(selection: Selection, release: Release, name: Path) -> None:
    problems = libraries.missing(selection, release)
    if problems:
        raise CheckFailed(
            f"{name}: a library needs third-party code that tfcarve does not build:",
            problems,
        )


def _parts(
    arguments: argparse.Namespace,
    selection: Selection,
    release: Release,
    kernels: KernelIndex | None,
) -> list[tuple[str, Path, dict[str, bytes]]]:
    """Returns the purpose of each folder, its path, and its files."""
    hot = units.hot_names(selection, release)
    parts = []
    for name, cold_folder, hot_folder, emit in (
        ("units", arguments.units, arguments.hot_units, units.units),
        (
            "helpers",
            arguments.helpers,
            arguments.hot_helpers,
            partial(units.helpers, release=release),
        ),
    ):
        if cold_folder is None and hot_folder is not None:
            raise InvalidInput(f"--hot-{name}: pass --{name} as well, for the others")
        if cold_folder is None:
            continue
        texts = emit(selection, index=kernels)
        separate = texts.keys() & hot if hot_folder is not None else frozenset()
        parts.append((name, cold_folder, {n: t for n, t in texts.items() if n not in separate}))
        if hot_folder is not None:
            parts.append((f"hot {name}", hot_folder, {n: texts[n] for n in sorted(separate)}))
    if arguments.libraries is not None:
        content = units.library_sources(selection, release)
        parts.append(("libraries", arguments.libraries, content))
    return parts


def _require_distinct(parts: Sequence[tuple[str, Path, dict[str, bytes]]]) -> None:
    seen: dict[Path, str] = {}
    for name, folder, _ in parts:
        other = seen.setdefault(folder.resolve(), name)
        if other != name:
            raise InvalidInput(
                f"{folder}: used for the {other} and for the {name}: pass two folders"
            )


def run(arguments: argparse.Namespace) -> int:
    """Writes the folders."""
    selection = common.load_selection(arguments.selection)
    _require_same_defines(arguments.define, selection.tensorflow.defines)
    _require_same_target(arguments.target, selection.tensorflow.target)
    release = known.for_version(selection.tensorflow.version)
    _require_libraries(selection, release, arguments.selection)
    kernels = (
        None
        if arguments.index is None
        else index.parse(files.read_bytes(arguments.index), str(arguments.index))
    )
    parts = _parts(arguments, selection, release, kernels)
    _require_distinct(parts)
    for _, folder, _ in parts:
        files.require_own(folder, units.is_unit)
    for _, folder, content in parts:
        files.write_directory(folder, content)
    return 0
