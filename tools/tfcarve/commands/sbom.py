"""`tfcarve sbom`: writes the SBOM of a library, and the licenses of the sources that it contains."""

import argparse
import hashlib
from pathlib import Path

import tfcarve
from tfcarve import json_codec
from tfcarve.commands.options import output_file, output_folder
from tfcarve.errors import InvalidInput
from tfcarve.files import read_bytes, write_if_changed
from tfcarve.package import components, sbom
from tfcarve.releases import known
from tfcarve.size.report import Report

NAME = "sbom"
HELP = "writes the SBOM of a library, and the licenses of the sources that it contains"

# The license of tfcarve's own code, which each library contains.
_OWN_LICENSE = "Apache-2.0"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declares the arguments."""
    parser.add_argument("library", type=Path, metavar="LIBRARY", help="the shared library")
    parser.add_argument(
        "--report", type=Path, required=True, help="the library's size report, sizes.json"
    )
    parser.add_argument("--release", required=True, help="the TensorFlow release, e.g. 2.14")
    parser.add_argument(
        "--origin",
        action="append",
        default=[],
        metavar="SOURCE=FILE",
        help="the license or tfcarve_source.json of a source that the library may contain; may be repeated",
    )
    parser.add_argument(
        "--own-license", type=Path, required=True, metavar="FILE", help="tfcarve's license"
    )
    parser.add_argument(
        "-o",
        "--output",
        type=output_file,
        required=True,
        metavar="FILE",
        help="where to write the SBOM, SPDX 2.3 as JSON; - is standard output",
    )
    parser.add_argument(
        "--licenses",
        type=output_folder,
        required=True,
        metavar="DIR",
        help="where to write the licenses: a folder for each source",
    )


def run(arguments: argparse.Namespace) -> int:
    """Writes the files, or nothing if there is a problem."""
    origins: dict[str, list[Path]] = {}
    for text in arguments.origin:
        name, equals, file = text.partition("=")
        if not equals or not name:
            raise InvalidInput(f"{text!r}: expected SOURCE=FILE")
        origins.setdefault(name, []).append(Path(file))
    report = json_codec.decode(read_bytes(arguments.report), Report, str(arguments.report))
    found = components.of_library(known.release(arguments.release), report, origins)
    document = sbom.document(
        name=arguments.library.name,
        platform=report.platform,
        sha256=hashlib.sha256(read_bytes(arguments.library)).hexdigest(),
        own_license=_OWN_LICENSE,
        components=found,
        tfcarve=tfcarve.__version__,
    )
    own = read_bytes(arguments.own_license)
    write_if_changed(arguments.output, document)
    write_if_changed(arguments.licenses / "tfcarve" / "LICENSE", own)
    for one in found:
        for name, text in one.texts.items():
            write_if_changed(arguments.licenses / one.name / name, text)
    return 0
