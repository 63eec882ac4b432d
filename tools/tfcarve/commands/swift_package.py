"""`tfcarve swift-package`: packs shared libraries for iOS and a Swift interface into a Swift package."""

import argparse
from pathlib import Path

from tfcarve.commands import ios_slices
from tfcarve.commands.options import output_folder
from tfcarve.errors import InvalidInput
from tfcarve.files import files_below, read_bytes, write_tree
from tfcarve.package import swift_package

NAME = "swift-package"
HELP = "packs shared libraries for iOS and a Swift interface into a Swift package, and checks each library"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declares the arguments."""
    parser.add_argument(
        "slices",
        nargs="+",
        metavar=ios_slices.FORM,
        help="e.g. ios:arm64:13.0=TensorFlowCore.dylib, ios-simulator:x86_64:13.0=…",
    )
    parser.add_argument(
        "--name", default="TensorFlowCarved", help="of the Swift module (default: %(default)s)"
    )
    parser.add_argument(
        "--identifier",
        required=True,
        help="the bundle identifier of the framework, e.g. org.example.TensorFlowCore",
    )
    parser.add_argument("--version", default="1.0", help="of the framework (default: %(default)s)")
    parser.add_argument(
        "--header", type=Path, required=True, metavar="FILE", help="the header of the C interface"
    )
    parser.add_argument(
        "--source",
        type=Path,
        action="append",
        required=True,
        help="a Swift source; may be repeated",
    )
    parser.add_argument(
        "-o",
        "--output",
        type=output_folder,
        required=True,
        metavar="DIR",
        help="the folder for the package",
    )


def run(arguments: argparse.Namespace) -> int:
    """Writes the package, or nothing if there is a problem."""
    output: Path = arguments.output
    manifest = output / "Package.swift"
    if files_below(output) and not (
        manifest.is_file() and swift_package.is_ours(read_bytes(manifest))
    ):
        raise InvalidInput(
            f"{output}: exists and is not a Swift package that tfcarve wrote: pass another folder"
        )
    package = swift_package.SwiftPackage(
        name=arguments.name,
        identifier=arguments.identifier,
        version=arguments.version,
        slices=[ios_slices.read(text) for text in arguments.slices],
        header=read_bytes(arguments.header),
        sources={path.name: read_bytes(path).decode() for path in arguments.source},
    )
    write_tree(output, swift_package.files(package))
    return 0
