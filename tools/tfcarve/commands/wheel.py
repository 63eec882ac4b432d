"""`tfcarve wheel`: packs a library for Linux and models into a Python wheel."""

import argparse
from collections.abc import Mapping, Sequence
from pathlib import Path

from tfcarve import files
from tfcarve.commands.options import output_folder
from tfcarve.errors import InvalidInput
from tfcarve.package import manylinux, wheel

NAME = "wheel"
HELP = "packs a library for Linux and its models into a Python wheel, with an interface for NumPy arrays"

_MODEL_SUFFIX = ".pb"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declares the arguments."""
    parser.add_argument(
        "library",
        type=Path,
        metavar="LIBRARY.so",
        help="a carved shared library for Linux, or libtensorflowlite_flex.so, a Flex delegate",
    )
    parser.add_argument(
        "--model",
        action="append",
        default=[],
        metavar="[NAME=]FILE.pb",
        help="a frozen GraphDef that the library runs, and its name in the package; may be repeated (default: the name of the file)",
    )
    parser.add_argument(
        "--name", required=True, help="of the Python package: lower-case letters, digits and _"
    )
    parser.add_argument("--version", default="1.0", help="of the package (default: %(default)s)")
    parser.add_argument(
        "--license",
        type=Path,
        action="append",
        default=[],
        metavar="FILE",
        help="a text that the wheel contains, such as the models' license; may be repeated",
    )
    parser.add_argument(
        "--licenses",
        type=Path,
        metavar="DIR",
        help="the licenses of the library's sources (default: the folder licenses beside the library, if it exists)",
    )
    parser.add_argument(
        "--sbom",
        type=Path,
        metavar="FILE",
        help="the SBOM of the library (default: sbom.spdx.json beside the library, if it exists)",
    )
    parser.add_argument(
        "-o",
        "--output",
        type=output_folder,
        required=True,
        metavar="DIR",
        help="the folder for the wheel, whose name has the platform",
    )


def run(arguments: argparse.Namespace) -> int:
    """Writes the wheel and prints its path."""
    wheel.require_valid(arguments.name, arguments.version)
    if bool(arguments.model) == (arguments.library.name == wheel.DELEGATE):
        raise InvalidInput(
            f"pass --model for a library, and none for the delegate {wheel.DELEGATE}, whose apps have their own models"
        )
    models = _models(arguments.model)
    library = files.read_bytes(arguments.library)
    tag = manylinux.tag(library, str(arguments.library))
    sbom: Path = arguments.sbom or arguments.library.with_name("sbom.spdx.json")
    content = wheel.Wheel(
        arguments.name,
        arguments.version,
        tag,
        arguments.library.name,
        library,
        models,
        client_modules(),
        _licenses(arguments) | {path.name: files.read_bytes(path) for path in arguments.license},
        files.read_bytes(sbom) if sbom.exists() or arguments.sbom else b"",
    )
    place = arguments.output / content.file_name
    try:
        arguments.output.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InvalidInput(f"{arguments.output}: cannot be written: {error.strerror}") from None
    files.write_if_changed(place, wheel.wheel(content))
    print(place)
    return 0


def _licenses(arguments: argparse.Namespace) -> dict[str, bytes]:
    """Returns the licenses of the library's sources, by their paths in their folder."""
    folder: Path = arguments.licenses or arguments.library.with_name("licenses")
    if arguments.licenses and not folder.is_dir():
        raise InvalidInput(f"{folder}: no such folder")
    return {
        file.relative_to(folder).as_posix(): files.read_bytes(file)
        for file in sorted(folder.rglob("*"))
        if file.is_file()
    }


def _models(words: Sequence[str]) -> Mapping[str, bytes]:
    found: dict[str, bytes] = {}
    for word in words:
        name, equals, path = word.rpartition("=")
        file = Path(path)
        if file.suffix != _MODEL_SUFFIX:
            raise InvalidInput(
                f"{file}: a wheel contains frozen GraphDefs ({_MODEL_SUFFIX}): freeze it first"
            )
        name = name if equals else file.stem
        if not wheel.is_model_name(name) or name in found:
            raise InvalidInput(
                f"--model {word}: pass NAME=FILE.pb, with another name: letters, digits, _, - and ."
            )
        found[name] = files.read_bytes(file)
    return found


def client_modules() -> Mapping[str, str]:
    """Returns the sources of the modules that a wheel contains, by their names."""
    folder = Path(__file__).parents[1] / "client"
    return {name: (folder / f"{name}.py").read_text(encoding="utf-8") for name in wheel.MODULES}
