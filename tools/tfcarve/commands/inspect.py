"""`tfcarve inspect`: inputs, outputs, parameters and ops of a model; what a library was made for."""

import argparse
import json
from dataclasses import asdict
from pathlib import Path

from tfcarve import files
from tfcarve.errors import InvalidInput
from tfcarve.models import read
from tfcarve.models.summary import Tensor, summary
from tfcarve.objfile.image import is_object_file
from tfcarve.printable import printable
from tfcarve.proof import manifest, sections

NAME = "inspect"
HELP = (
    "shows a model's inputs, outputs, number of parameters and ops, or what a library was made for"
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declares the arguments."""
    parser.add_argument(
        "model",
        type=Path,
        metavar="MODEL",
        help="a model, of the kinds that select reads, or a library",
    )
    parser.add_argument(
        "--freeze",
        action="store_true",
        help="freezes a SavedModel first, for serving_default; needs tensorflow",
    )
    parser.add_argument("--json", action="store_true", help="prints JSON")


def _say(*lines: str) -> None:
    for line in lines:
        print(printable(line))


def _line(tensor: Tensor) -> str:
    if tensor.shape is None:
        shape = "shape unknown"
    else:
        shape = "[" + ", ".join("?" if d < 0 else str(d) for d in tensor.shape) + "]"
    return f"  {tensor.name}  {tensor.op}  {tensor.dtype or 'type unknown'}  {shape}"


def _show_model(path: Path, freeze: bool, as_json: bool) -> None:
    model = read.frozen(path, (), "") if freeze and read.is_saved_model(path) else read.read(path)
    found = summary(model)
    if as_json:
        document = asdict(found)
        document["ops"] = dict(found.ops)
        print(json.dumps(document, indent=1))
        return
    if found.signatures:
        _say(f"signatures: {', '.join(found.signatures)}")
    _say(f"inputs: {len(found.inputs)}", *map(_line, found.inputs))
    _say(f"outputs: {len(found.outputs)}", *map(_line, found.outputs))
    _say(f"parameters: {found.parameters:,}")
    graph = f"in the graph and {found.functions} functions"
    _say(f"nodes: {found.nodes:,} with {len(found.ops)} ops, {graph}")
    _say(*(f"  {count:>6}  {op}" for op, count in found.ops))


def _show_library(path: Path, as_json: bool) -> None:
    for image in sections.images(files.read_bytes(path), str(path)):
        if sections.MANIFEST not in image.sections:
            raise InvalidInput(f"{image.name}: has no manifest: is it no library of tfcarve's?")
        found = manifest.parse(image.sections[sections.MANIFEST], image.name)
        if as_json:
            print(found.to_json())
            continue
        _say(f"{image.name}: TensorFlow {found.tensorflow}, carved by tfcarve {found.tfcarve}")
        _say(f"models: {len(found.models)}", *(f"  {m.sha256}  {m.name}" for m in found.models))
        _say(f"ops: {len(found.ops)}", *(f"  {op}" for op in found.ops))
        _say(f"made with: {' '.join(found.defines)}")


def run(arguments: argparse.Namespace) -> int:
    """Prints what the file is."""
    path: Path = arguments.model
    if path.is_file():
        with path.open("rb") as stream:
            is_library = is_object_file(stream.read(8))
        if is_library:
            _show_library(path, arguments.json)
            return 0
    _show_model(path, arguments.freeze, arguments.json)
    return 0
