"""`tfcarve xcframework`: packs static libraries for devices and simulators into an xcframework for Xcode."""

import argparse
from pathlib import Path

from tfcarve.commands import ios_slices
from tfcarve.commands.options import output_folder
from tfcarve.errors import InvalidInput
from tfcarve.files import files_below, read_bytes, write_tree
from tfcarve.package.xcframework import is_xcframework_plist, xcframework

NAME = "xcframework"
HELP = "packs static libraries for iOS into an xcframework, and checks each object"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declares the arguments."""
    parser.add_argument(
        "slices",
        nargs="+",
        metavar=ios_slices.FORM,
        help="e.g. ios:arm64:13.0=device/libtensorflow-core.a, ios-simulator:x86_64:13.0=…",
    )
    parser.add_argument(
        "--name",
        default="libtensorflow-core.a",
        help="file name of the library in it (default: %(default)s)",
    )
    parser.add_argument(
        "--header", type=Path, action="append", default=[], help="a header to include"
    )
    parser.add_argument(
        "-o",
        "--output",
        type=output_folder,
        required=True,
        metavar="DIR.xcframework",
        help="where to write the xcframework",
    )


def run(arguments: argparse.Namespace) -> int:
    """Writes the folder, or nothing if there is a problem."""
    slices = [ios_slices.read(text) for text in arguments.slices]
    files = xcframework(
        arguments.name, slices, {path.name: read_bytes(path) for path in arguments.header}
    )
    output: Path = arguments.output
    info = output / "Info.plist"
    if files_below(output) and not (info.is_file() and is_xcframework_plist(read_bytes(info))):
        raise InvalidInput(f"{output}: exists and is not an xcframework: pass another folder")
    write_tree(output, files)
    return 0
