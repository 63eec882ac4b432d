"""`tfcarve op-files`: writes tf_op_files.txt."""

import argparse
from pathlib import Path

from tfcarve import files
from tfcarve.build_files.evaluate import BuildFileError
from tfcarve.commands import common, options
from tfcarve.emit import kernel_groups, op_files
from tfcarve.errors import InvalidInput
from tfcarve.registry import scan
from tfcarve.releases import known
from tfcarve.releases.release import Release
from tfcarve.selection.selection import Selection

NAME = "op-files"
HELP = "writes tf_op_files.txt for a selection: the sources to compile"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declares the arguments."""
    parser.add_argument("selection", type=Path, metavar="SELECTION", help="selection.json")
    forms = parser.add_mutually_exclusive_group()
    forms.add_argument(
        "--extend",
        type=options.not_standard_output("the list is read, too"),
        metavar="FILE",
        help="adds missing sources to this list (tensorflow/contrib/makefile/tf_op_files.txt) and preserves its order; does not touch a complete list",
    )
    forms.add_argument(
        "--build-fragment",
        action="store_true",
        help="writes the sources that {android,portable}_extended_ops_group2 and _headers in tensorflow/core/kernels/BUILD lack",
    )
    parser.add_argument(
        "--tensorflow",
        type=Path,
        metavar="DIR",
        help="for --build-fragment: TensorFlow's source tree (default: $TFCARVE_TENSORFLOW, or the pinned version)",
    )
    options.add_output(parser, "the list")


def run(arguments: argparse.Namespace) -> int:
    """Writes the list."""
    selection = common.load_selection(arguments.selection)
    release = known.for_version(selection.tensorflow.version)
    if arguments.extend is not None:
        if arguments.output is not None:
            raise InvalidInput("--extend changes the list in place: omit -o")
        _refuse_added(selection, release)
        _extend(arguments.extend, selection, release)
        return 0
    if arguments.build_fragment:
        _refuse_added(selection, release)
        tree = common.sources(arguments.tensorflow).tree()
        scan.require_tree(selection.tensorflow, tree, release, "selection")
        try:
            content = kernel_groups.kernel_groups(selection, release, tree)
        except BuildFileError as error:
            raise InvalidInput(f"{tree}: {error}") from None
    else:
        content = op_files.op_files(selection, release)
    common.output(content, arguments.output)
    return 0


def _refuse_added(selection: Selection, release: Release) -> None:
    """Raises InvalidInput if a selected source is not TensorFlow's, because its own build does not find it."""
    found = sorted(release.added_kernels.keys() & set(selection.files))
    if found and release.is_of(selection.tensorflow.version):
        raise InvalidInput(
            f"the selection has kernels that only tfcarve has ({', '.join(found)}): "
            "TensorFlow's own build cannot compile them: build the library with tf_mobile_library"
        )


def _extend(path: Path, selection: Selection, release: Release) -> None:
    try:
        text = files.read_bytes(path).decode()
    except UnicodeDecodeError as error:
        raise InvalidInput(
            f"{path}: byte {error.start}: not UTF-8: expected a list of sources"
        ) from None
    files.write_if_changed(path, op_files.extended(text, selection, release).encode())
