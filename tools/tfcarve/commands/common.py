"""Input and output that subcommands share: the index, selections, output files and tables."""

import argparse
import json
import os
import sys
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tfcarve import files, pinned, progress
from tfcarve.errors import InvalidInput
from tfcarve.printable import printable
from tfcarve.registry import index as indexes
from tfcarve.releases import known, tree_version
from tfcarve.selection.selection import Selection
from tfcarve.selection.selection import parse as parse_selection

if TYPE_CHECKING:
    from tfcarve.registry.settings import Settings


def default_defines(tree: Path) -> tuple[str, ...]:
    """Returns the defines with which tfcarve builds a tree's release, or the newest one if it does not build that release."""
    return known.nearest(tree_version.version(tree)).defines


def warn(text: str) -> None:
    """Prints a warning on standard error."""
    print(printable(f"tfcarve: warning: {text}"), file=sys.stderr)


def notes(texts: Iterable[str]) -> None:
    """Prints a note for the user, which is no warning, on standard error."""
    for text in texts:
        print(printable(f"tfcarve: note: {text}"), file=sys.stderr)


def tensorflow_tree(path: Path | None) -> Path:
    """Returns TensorFlow's source tree: `path`, $TFCARVE_TENSORFLOW, or the pinned version."""
    if path is not None:
        return path
    from_environment = os.environ.get("TFCARVE_TENSORFLOW")
    return Path(from_environment) if from_environment else pinned.tree()


def index_settings(arguments: argparse.Namespace, defines: Sequence[str]) -> "Settings":
    """Returns the settings of an index, from the arguments of options.add_tree.

    Raises:
      InvalidInput: there is no compiler, or the target is incomplete or malformed.
    """
    from tfcarve.registry import target
    from tfcarve.registry.settings import Settings, find_compiler

    compiler = find_compiler(os.environ)
    if (arguments.target is None) != (arguments.target_macros is None):
        raise InvalidInput("--target and --target-macros: pass both or none")
    if arguments.target is None:
        return Settings(tuple(defines), compiler)
    path: Path = arguments.target_macros
    dump = files.read_bytes(path).decode(errors="replace")
    return Settings(tuple(defines), compiler, target.parse(arguments.target, dump, str(path)))


def load_index(arguments: argparse.Namespace) -> indexes.KernelIndex:
    """Returns the index that the arguments of options.add_index name.

    Raises:
      InvalidInput: it cannot be read or created, or is for another target.
    """
    loaded = None
    if arguments.index is not None:
        loaded = indexes.parse(files.read_bytes(arguments.index), str(arguments.index))
        if arguments.target not in (None, loaded.tensorflow.target):
            raise InvalidInput(
                f"{arguments.index}: for the target {loaded.tensorflow.target or 'host'}, not {arguments.target}"
            )
        if not arguments.custom_op:
            return loaded
    from tfcarve.registry import scan  # takes as long to load as a selection from a finished index

    tree = tensorflow_tree(arguments.tensorflow)
    defines = loaded.tensorflow.defines if loaded else default_defines(tree)
    settings = index_settings(arguments, defines)
    with progress.shown() as show:
        if loaded:
            return scan.with_custom_ops(loaded, tree, settings, arguments.custom_op, show)
        data = scan.make_index(tree, settings, arguments.custom_op, show)
    return indexes.parse(data, f"index of {tree}")


def load_selection(path: Path) -> Selection:
    """Reads selection.json."""
    return parse_selection(files.read_bytes(path), str(path))


def output(data: bytes, path: Path | None) -> None:
    """Writes `data` to `path`, or to standard output if `path` is None."""
    if path is None:
        sys.stdout.buffer.write(data)
        sys.stdout.buffer.flush()
    else:
        files.write_if_changed(path, data)


def table(rows: Iterable[Mapping[str, Any]], columns: Sequence[str], as_json: bool) -> None:
    """Prints rows as JSON or as aligned columns."""
    listed = list(rows)
    if as_json:
        print(json.dumps(listed, indent=1))
        return
    cells = [[printable(str(row.get(c, ""))) for c in columns] for row in listed]
    widths = [max([len(c), *(len(line[i]) for line in cells)]) for i, c in enumerate(columns)]
    for line in [list(columns), *cells]:
        print(
            "  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip()
        )
