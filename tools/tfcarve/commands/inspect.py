"""`tfcarve inspect`: inputs, outputs, parameters and ops of a model."""

import argparse
import json
from dataclasses import asdict
from pathlib import Path

from tfcarve.models import read
from tfcarve.models.summary import Tensor, summary

NAME = "inspect"
HELP = "shows a model's inputs, outputs, number of parameters and ops"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declares the arguments."""
    parser.add_argument(
        "model", type=Path, metavar="MODEL", help="a model, of the kinds that select reads"
    )
    parser.add_argument("--json", action="store_true", help="prints JSON")


def _line(tensor: Tensor) -> str:
    if tensor.shape is None:
        shape = "shape unknown"
    else:
        shape = "[" + ", ".join("?" if d < 0 else str(d) for d in tensor.shape) + "]"
    return f"  {tensor.name}  {tensor.op}  {tensor.dtype or 'type unknown'}  {shape}"


def _show_model(path: Path, as_json: bool) -> None:
    found = summary(read.read(path))
    if as_json:
        document = asdict(found)
        document["ops"] = dict(found.ops)
        print(json.dumps(document, ensure_ascii=False, indent=1))
        return
    if found.signatures:
        print(f"signatures: {', '.join(found.signatures)}")
    print(f"inputs: {len(found.inputs)}")
    print(*map(_line, found.inputs), sep="\n")
    print(f"outputs: {len(found.outputs)}")
    print(*map(_line, found.outputs), sep="\n")
    print(f"parameters: {found.parameters:,}")
    print(
        f"nodes: {found.nodes:,} with {len(found.ops)} ops, in the graph and {found.functions} functions"
    )
    print(*(f"  {count:>6}  {op}" for op, count in found.ops), sep="\n")


def run(arguments: argparse.Namespace) -> int:
    """Prints what the file is."""
    # What is no model (a library that was built) is told by its first bytes and shown from here.
    _show_model(arguments.model, arguments.json)
    return 0
