"""`tfcarve xcframework`: static libraries for devices and simulators as one folder for Xcode."""

import argparse
import re
from pathlib import Path

from tfcarve.errors import InvalidInput
from tfcarve.files import read_bytes, write_if_changed
from tfcarve.package.objects import CPU_TYPES
from tfcarve.package.xcframework import Slice, describes_one, xcframework

NAME = "xcframework"
HELP = "packs static libraries for iOS into an xcframework, each object checked"

_SLICE = re.compile(r"(ios|ios-simulator):([a-z0-9_]+):(\d+)\.(\d+)=(.+)", re.DOTALL)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declares the arguments."""
    parser.add_argument(
        "slices",
        nargs="+",
        metavar="PLATFORM:CPU:OLDEST=LIBRARY",
        help="e.g. ios:arm64:13.0=device/libtensorflow-core.a, ios-simulator:x86_64:13.0=…",
    )
    parser.add_argument(
        "--name",
        default="libtensorflow-core.a",
        help="the library's file in it (default: %(default)s)",
    )
    parser.add_argument(
        "--header", type=Path, action="append", default=[], help="a header to put in"
    )
    parser.add_argument("-o", "--output", type=Path, required=True, metavar="DIR.xcframework")


def run(arguments: argparse.Namespace) -> int:
    """Writes the folder; nothing of it where anything is wrong."""
    slices = [_slice(text) for text in arguments.slices]
    files = xcframework(
        arguments.name, slices, {path.name: read_bytes(path) for path in arguments.header}
    )
    output: Path = arguments.output
    there = {path.relative_to(output).as_posix() for path in output.rglob("*") if path.is_file()}
    info = output / "Info.plist"
    if there and not (info.is_file() and describes_one(read_bytes(info))):
        raise InvalidInput(f"{output}: is a folder of something else: name another")
    for path in there - files.keys():
        (output / path).unlink()
    for path, data in files.items():
        write_if_changed(output / path, data)
    return 0


def _slice(text: str) -> Slice:
    parsed = _SLICE.fullmatch(text)
    if not parsed:
        raise InvalidInput(
            f"{text!r}: write PLATFORM:CPU:OLDEST=LIBRARY, e.g. ios:arm64:13.0=lib.a"
        )
    platform, arch, major, minor, path = parsed.groups()
    if arch not in CPU_TYPES:
        raise InvalidInput(f"{text!r}: no CPU {arch}; there are: {', '.join(sorted(CPU_TYPES))}")
    return Slice(platform, arch, (int(major), int(minor)), read_bytes(Path(path)), path)
