"""Input and output that subcommands share: the index, selections, output files and tables."""

import argparse
import gc
import json
import os
import sys
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from tfcarve import files, pinned, progress
from tfcarve.printable import printable
from tfcarve.registry import index as indexes
from tfcarve.selection.selection import Selection
from tfcarve.selection.selection import parse as parse_selection

_DEFINES = Path(__file__).parents[1] / "data" / "defines.txt"


def default_defines() -> tuple[str, ...]:
    """Returns the macros that tfcarve compiles TensorFlow with."""
    return tuple(_DEFINES.read_text(encoding="utf-8").split())


def tensorflow_tree(path: Path | None) -> Path:
    """Returns TensorFlow's source tree: `path`, $TFCARVE_TENSORFLOW, or the pinned version."""
    if path is not None:
        return path
    from_environment = os.environ.get("TFCARVE_TENSORFLOW")
    return Path(from_environment) if from_environment else pinned.tree()


def load_index(arguments: argparse.Namespace) -> indexes.IndexFile:
    """Returns the index that the arguments of options.add_index ask for."""
    index = _index(arguments)
    gc.freeze()  # its half a million values stay: the next look for cycles needn't go through them
    return index


def _index(arguments: argparse.Namespace) -> indexes.IndexFile:
    loaded = None
    if arguments.index is not None:
        loaded = indexes.parse(files.read_json(arguments.index), str(arguments.index))
        if not arguments.custom_op:
            return loaded
    from tfcarve.registry import scan  # as slow to load as a selection from a finished index is

    tree = tensorflow_tree(arguments.tensorflow)
    defines = loaded.tensorflow.defines if loaded else default_defines()
    settings = scan.Settings(defines, scan.find_compiler(os.environ))
    with progress.shown() as show:
        if loaded:
            return scan.with_custom_ops(loaded, tree, settings, arguments.custom_op, show)
        data = scan.make_index(tree, settings, arguments.custom_op, show)
    return indexes.parse(data, f"index of {tree}")


def load_selection(path: Path) -> Selection:
    """Reads selection.json."""
    return parse_selection(files.read_json(path), str(path))


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
