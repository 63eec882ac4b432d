"""`tfcarve archive`: packs a library, its headers, licenses and SBOM into a .tar.gz."""

import argparse
from collections.abc import Iterator, Sequence
from pathlib import Path, PurePosixPath

from tfcarve.commands.options import output_folder
from tfcarve.errors import InvalidInput
from tfcarve.files import read_bytes, write_if_changed
from tfcarve.package import archive

NAME = "archive"
HELP = "packs a library with its headers, licenses and SBOM into a .tar.gz"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declares the arguments."""
    parser.add_argument(
        "files",
        nargs="+",
        metavar="PATH=FILE",
        help="a file or a folder, and its path in the archive; one path is sbom.spdx.json",
    )
    parser.add_argument("--name", required=True, help="of the package")
    parser.add_argument("--version", default="1.0", help="of the package (default: %(default)s)")
    parser.add_argument("--platform", required=True, help="the platform of the library")
    parser.add_argument(
        "-o",
        "--output",
        type=output_folder,
        required=True,
        metavar="DIR",
        help="the folder for the archive, the SBOM and SHA256SUMS",
    )


def run(arguments: argparse.Namespace) -> int:
    """Writes the files, or nothing if there is a problem."""
    stem = archive.stem(arguments.name, arguments.version, arguments.platform)
    for name, data in archive.archive(stem, dict(_files(arguments.files))).items():
        write_if_changed(arguments.output / name, data)
    return 0


def _files(words: Sequence[str]) -> Iterator[tuple[str, bytes]]:
    seen: set[str] = set()
    for text in words:
        path, equals, name = text.partition("=")
        place, file = PurePosixPath(path), Path(name)
        if not equals or path in seen or not path or place.is_absolute() or ".." in place.parts:
            raise InvalidInput(f"{text!r}: expected PATH=FILE with a relative path, each path once")
        seen.add(path)
        if file.is_dir():
            for each in sorted(file.rglob("*")):
                if each.is_file():
                    yield f"{path}/{each.relative_to(file).as_posix()}", read_bytes(each)
        else:
            yield path, read_bytes(file)
