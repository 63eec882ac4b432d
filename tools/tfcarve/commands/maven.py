"""`tfcarve maven`: writes a Maven repository with an AAR, for Gradle."""

import argparse
from pathlib import Path

from tfcarve.commands.options import output_folder
from tfcarve.errors import InvalidInput
from tfcarve.files import read_bytes, write_if_changed
from tfcarve.package import java, maven

NAME = "maven"
HELP = "writes a Maven repository with an AAR, a POM and the Java sources, for Gradle"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declares the arguments."""
    parser.add_argument("aar", type=Path, metavar="AAR", help="the AAR")
    parser.add_argument(
        "--coordinates",
        required=True,
        metavar="GROUP:ARTIFACT:VERSION",
        help="the package's name in the repository, e.g. org.example:tensorflow:1.0",
    )
    parser.add_argument(
        "--source",
        type=Path,
        action="append",
        default=[],
        help="a Java source of the AAR, for the jar of sources; may be repeated",
    )
    parser.add_argument(
        "-o",
        "--output",
        type=output_folder,
        required=True,
        metavar="DIR",
        help="the repository; other packages and versions in it stay",
    )


def run(arguments: argparse.Namespace) -> int:
    """Writes the files, or nothing if there is a problem."""
    where = maven.coordinates(arguments.coordinates)
    data = read_bytes(arguments.aar)
    if not data.startswith(b"PK"):
        raise InvalidInput(f"{arguments.aar}: is not an AAR, which is a zip file")
    artifacts = {".aar": data}
    if arguments.source:
        artifacts["-sources.jar"] = java.sources_jar(arguments.source)
    description = "TensorFlow with the ops that the models of an app need, carved by tfcarve."
    versions = [
        file.parent.name
        for file in (arguments.output / maven.folder(where)).glob("*/*.pom")
        if file.stem == f"{where.artifact}-{file.parent.name}"
    ]
    files = maven.repository(where, "aar", description, artifacts, versions)
    for path, content in files.items():
        write_if_changed(arguments.output / path, content)
    return 0
