"""`tfcarve inspect`: the contents of a model and commands that run it; the contents of a library."""

import argparse
from pathlib import Path

from tfcarve import files, json_codec
from tfcarve.benchmark import inspection
from tfcarve.commands import common, model_argument
from tfcarve.errors import InvalidInput
from tfcarve.models import summary_lines
from tfcarve.newer import data as newer_data
from tfcarve.newer import model as newer_model
from tfcarve.objfile.image import is_object_file
from tfcarve.printable import printable
from tfcarve.proof import manifest, sections
from tfcarve.releases import known

NAME = "inspect"
HELP = "shows the signatures, inputs, outputs, values and ops of a model, with commands to run it, or the models and ops of a library"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declares the arguments."""
    parser.add_argument(
        "model",
        type=Path,
        metavar="MODEL",
        help="a model in a format that select reads, or a library",
    )
    model_argument.add_options(parser)
    parser.add_argument("--json", action="store_true", help="prints JSON")


def _print(*lines: str) -> None:
    for line in lines:
        print(printable(line))


def _show_model(path: Path, arguments: argparse.Namespace) -> None:
    release = known.release()
    found = model_argument.read(path, release, arguments)
    result = inspection.inspect(found.model, path, release, found.frozen_with, arguments.tags or ())
    common.notes(newer_model.notes(found.model, newer_data.load(release)))
    if arguments.json:
        common.output(json_codec.encode(result), None)
        return
    _print(*inspection.lines(result))


def _show_library(path: Path, as_json: bool) -> None:
    for image in sections.images(files.read_bytes(path), str(path)):
        if sections.MANIFEST not in image.sections:
            raise InvalidInput(
                f"{image.name}: has no manifest: is it a library that tfcarve built?"
            )
        found = manifest.parse(image.sections[sections.MANIFEST], image.name)
        if as_json:
            print(found.to_json())
            continue
        _print(f"{image.name}: TensorFlow {found.tensorflow}, built by tfcarve {found.tfcarve}")
        _print(f"models: {len(found.models)}")
        for model in found.models:
            _print(f"  {model.sha256}  {model.name}")
            _print(*(f"  {line}" for line in summary_lines.signature_lines(model.signatures)))
        _print(f"runtime: {found.runtime}")
        _print(f"ops: {len(found.ops)}", *(f"  {op}" for op in found.ops))
        _print(f"compiled with: {' '.join(found.defines)}")


def run(arguments: argparse.Namespace) -> int:
    """Prints the summary of a model or library."""
    path: Path = arguments.model
    if path.is_file():
        with path.open("rb") as stream:
            is_library = is_object_file(stream.read(8))
        if is_library:
            _show_library(path, arguments.json)
            return 0
    _show_model(path, arguments)
    return 0
