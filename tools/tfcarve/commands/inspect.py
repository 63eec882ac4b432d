"""`tfcarve inspect`: inputs, outputs, parameters and ops of a model; the contents of a library."""

import argparse
import json
from dataclasses import asdict
from pathlib import Path

from tfcarve import files
from tfcarve.commands import freeze_options
from tfcarve.commands.read_model import is_to_freeze, read_frozen, read_model
from tfcarve.errors import InvalidInput
from tfcarve.models.choice import Choice
from tfcarve.models.node_use import Model
from tfcarve.models.summary import Tensor, summary
from tfcarve.objfile.image import is_object_file
from tfcarve.printable import printable
from tfcarve.proof import manifest, sections

NAME = "inspect"
HELP = "shows the inputs, outputs, number of parameters and ops of a model, or the models and ops of a library"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declares the arguments."""
    parser.add_argument(
        "model",
        type=Path,
        metavar="MODEL",
        help="a model in a format that select reads, or a library",
    )
    parser.add_argument(
        "--freeze",
        action="store_true",
        help="freeze a SavedModel or MetaGraphDef first; needs tensorflow",
    )
    freeze_options.add_graph(parser)
    freeze_options.add_tensors(parser)
    freeze_options.add_freeze(parser)
    parser.add_argument("--json", action="store_true", help="print JSON")


def _print(*lines: str) -> None:
    for line in lines:
        print(printable(line))


def _line(tensor: Tensor) -> str:
    if tensor.shape is None:
        shape = "shape unknown"
    else:
        shape = "[" + ", ".join("?" if d < 0 else str(d) for d in tensor.shape) + "]"
    return f"  {tensor.name}  {tensor.op}  {tensor.dtype or 'type unknown'}  {shape}"


def _model(path: Path, arguments: argparse.Namespace) -> Model:
    options = freeze_options.freeze_options(
        arguments, arguments.tags, arguments.signature, arguments.inputs, arguments.outputs
    )
    if is_to_freeze(path, options, arguments.freeze):
        return read_frozen(path, options)
    signatures = (arguments.signature,) if arguments.signature else ()
    return read_model(path, Choice(arguments.tags or (), signatures))


def _show_model(path: Path, arguments: argparse.Namespace) -> None:
    result = summary(_model(path, arguments))
    if arguments.json:
        document = asdict(result)
        document["ops"] = dict(result.ops)
        print(json.dumps(document, indent=1))
        return
    if result.signatures:
        _print(f"signatures: {', '.join(result.signatures)}")
    _print(f"inputs: {len(result.inputs)}", *map(_line, result.inputs))
    _print(f"outputs: {len(result.outputs)}", *map(_line, result.outputs))
    _print(f"parameters: {result.parameters:,}")
    graph = f"in the graph and {result.functions} functions"
    _print(f"nodes: {result.nodes:,} with {len(result.ops)} ops, {graph}")
    _print(*(f"  {count:>6}  {op}" for op, count in result.ops))


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
        _print(f"models: {len(found.models)}", *(f"  {m.sha256}  {m.name}" for m in found.models))
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
