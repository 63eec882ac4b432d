"""`tfcarve aar`: packs shared libraries and the Java classes that use them into an AAR for Gradle."""

import argparse
import os
import shutil
from pathlib import Path

from tfcarve.commands import common, options
from tfcarve.errors import InvalidInput
from tfcarve.files import read_bytes
from tfcarve.package import java
from tfcarve.package.aar import aar

NAME = "aar"
HELP = "packs shared libraries for Android and Java classes into an AAR, and checks each library"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declares the arguments."""
    parser.add_argument("libraries", nargs="+", metavar="ABI=LIBRARY", help="e.g. arm64-v8a=lib.so")
    parser.add_argument("--package", required=True, help="Java package in the AAR's manifest")
    parser.add_argument(
        "--api-level",
        type=int,
        required=True,
        help="minimum API level that the libraries were built for",
    )
    parser.add_argument(
        "--source", type=Path, action="append", default=[], help="a Java source to compile"
    )
    parser.add_argument(
        "--stub",
        type=Path,
        action="append",
        default=[],
        dest="stubs",
        metavar="FILE",
        help="a Java source to compile against, which the AAR does not contain; may be repeated",
    )
    parser.add_argument(
        "--javac", type=Path, help="the Java compiler (default: $JAVAC, or javac on PATH)"
    )
    parser.add_argument(
        "--name",
        default="libtensorflow_inference.so",
        help="file name of each library (default: %(default)s)",
    )
    options.add_output(parser, "the AAR")


def run(arguments: argparse.Namespace) -> int:
    """Writes the AAR, or nothing if there is a problem."""
    libraries: dict[str, bytes] = {}
    for text in arguments.libraries:
        abi, equals, path = text.partition("=")
        if not equals or abi in libraries:
            raise InvalidInput(f"{text!r}: expected ABI=LIBRARY, each ABI once")
        libraries[abi] = read_bytes(Path(path))
    data = aar(
        package=arguments.package,
        api_level=arguments.api_level,
        classes=java.compiled(_javac(arguments.javac), arguments.source, arguments.stubs),
        libraries=libraries,
        file_name=arguments.name,
    )
    common.output(data, arguments.output)
    return 0


def _javac(option: Path | None) -> Path:
    found = option or os.environ.get("JAVAC") or shutil.which("javac")
    if not found:
        raise InvalidInput(
            "javac is not on PATH; try: sudo apt-get install openjdk-17-jdk-headless"
        )
    return Path(found)
