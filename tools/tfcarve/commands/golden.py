"""`tfcarve golden`: what full TensorFlow gives for a model, for tf_model_test."""

import argparse
import importlib.util
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from tfcarve import files, full_tensorflow
from tfcarve.commands import common
from tfcarve.errors import BadInput

NAME = "golden"
HELP = "runs a model in full TensorFlow and writes its outputs, which tf_model_test then expects"

_RUN = Path(__file__).parents[1] / "proof" / "golden_run.py"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declares the arguments."""
    parser.add_argument("model", type=Path, metavar="MODEL", help="a frozen GraphDef, .pb")
    for option, what in (
        ("input", "feeds the array in FILE to the node NAME"),
        ("output", "writes what the node NAME gives to FILE"),
    ):
        parser.add_argument(
            f"--{option}",
            action="append",
            default=[],
            required=option == "output",
            metavar="NAME=FILE.npy",
            help=f"{what}; may be repeated",
        )


def _pairs(words: Sequence[str], option: str) -> list[tuple[str, Path]]:
    pairs = []
    for word in words:
        name, equals, file = word.partition("=")
        if not (name and equals and file) or name.startswith("-"):
            raise BadInput(f"--{option} takes NAME=FILE.npy, not {word!r}")
        pairs.append((name, Path(file)))
    return pairs


def run(arguments: argparse.Namespace) -> int:
    """Writes the outputs; needs TensorFlow in the Python that runs tfcarve."""
    inputs = _pairs(arguments.input, "input")
    outputs = _pairs(arguments.output, "output")
    for path in (arguments.model, *(path for _, path in inputs)):
        if not path.is_file():
            raise BadInput(f"{path}: no such file")
    if importlib.util.find_spec("tensorflow") is None:
        raise BadInput(
            f"to run a model in full TensorFlow {sys.executable} needs tensorflow, which it has not: "
            "install it there, or write the .npy files where TensorFlow is"
        )
    with tempfile.TemporaryDirectory(prefix="tfcarve-") as folder:
        names = ["--", *(name for name, _ in outputs)]
        feeds = [f"{name}={path.absolute()}" for name, path in inputs]
        try:
            full_tensorflow.run(_RUN, [arguments.model.absolute(), folder, *feeds, *names], folder)
        except full_tensorflow.Failed as failed:
            raise BadInput(
                f"{arguments.model}: full TensorFlow does not run it: {str(failed) or 'no reason'}"
            ) from None
        for number, (_, path) in enumerate(outputs):
            common.output(files.read_bytes(Path(folder, f"{number}.npy")), path)
    return 0
