"""`tfcarve xcframework`: packs static libraries for devices and simulators into an xcframework for Xcode."""

import argparse
import re
from pathlib import Path

from tfcarve.commands.options import output_folder
from tfcarve.errors import InvalidInput
from tfcarve.files import read_bytes, write_if_changed
from tfcarve.package.xcframework import ARCHS, Slice, is_xcframework_plist, xcframework

NAME = "xcframework"
HELP = "packs static libraries for iOS into an xcframework, and checks each object"

_SLICE = re.compile(r"(ios|ios-simulator):([a-z0-9_]+):(\d+)\.(\d+)=(.+)", re.DOTALL)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declares the arguments."""
    parser.add_argument(
        "slices",
        nargs="+",
        metavar="PLATFORM:CPU:MINIMUM_OS=LIBRARY",
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
    slices = [_slice(text) for text in arguments.slices]
    files = xcframework(
        arguments.name, slices, {path.name: read_bytes(path) for path in arguments.header}
    )
    output: Path = arguments.output
    present = {path.relative_to(output).as_posix() for path in output.rglob("*") if path.is_file()}
    info = output / "Info.plist"
    if present and not (info.is_file() and is_xcframework_plist(read_bytes(info))):
        raise InvalidInput(f"{output}: exists and is not an xcframework: pass another folder")
    for path in present - files.keys():
        (output / path).unlink()
    for path, data in files.items():
        write_if_changed(output / path, data)
    return 0


def _slice(text: str) -> Slice:
    parsed = _SLICE.fullmatch(text)
    if not parsed:
        raise InvalidInput(
            f"{text!r}: expected PLATFORM:CPU:MINIMUM_OS=LIBRARY, e.g. ios:arm64:13.0=lib.a"
        )
    platform, arch, major, minor, path = parsed.groups()
    if arch not in ARCHS:
        raise InvalidInput(f"{text!r}: unknown CPU {arch}: expected one of {', '.join(ARCHS)}")
    return Slice(platform, arch, (int(major), int(minor)), read_bytes(Path(path)), path)
