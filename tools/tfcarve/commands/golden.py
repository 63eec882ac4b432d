"""`tfcarve golden`: the outputs of full TensorFlow for a model, for tf_model_test."""

import argparse
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from tfcarve import files, full_tensorflow
from tfcarve.commands import common, freeze_options
from tfcarve.commands.options import DASH
from tfcarve.errors import InvalidInput
from tfcarve.models import read
from tfcarve.proof import noise

if TYPE_CHECKING:
    from tfcarve.prepare.freeze.request import Options

NAME = "golden"
HELP = "runs a model with full TensorFlow and writes its outputs, which tf_model_test expects"

_RUN = "tfcarve.proof.golden_run"
_LITE_RUN = "tfcarve.proof.lite_golden_run"
# Their exit status if a .npy file cannot be read or written.
_ARRAYS_FAILED = 2
_LITE_SUFFIX = ".tflite"
# The options that say how a graph is frozen; a TensorFlow Lite model has none.
_GRAPH_OPTIONS = (
    *("tags", "inputs", "outputs", "checkpoint"),
    *("moving_averages", "lower_control_flow", "unroll", "constant", "assertions"),
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declares the arguments."""
    parser.add_argument(
        "model",
        type=Path,
        metavar="MODEL",
        help="a frozen GraphDef .pb, a model that freeze reads, which is frozen first, or a TensorFlow Lite model .tflite",
    )
    for option, what in (
        ("input", "feeds the array in FILE to the node NAME, or to this input of a .tflite"),
        ("output", "writes the output of the node NAME, or this output of a .tflite, to FILE"),
    ):
        parser.add_argument(
            f"--{option}",
            action="append",
            default=[],
            required=option == "output",
            metavar="NAME=FILE.npy",
            help=f"{what}; may be repeated",
        )
    freeze_options.add_graph(parser)
    freeze_options.add_tensors(parser)
    freeze_options.add_freeze(parser)


def _pairs(values: Sequence[str], option: str) -> list[tuple[str, Path]]:
    pairs = []
    for value in values:
        name, equals, file = value.partition("=")
        if not (name and equals and file) or name.startswith("-"):
            raise InvalidInput(f"--{option} takes NAME=FILE.npy, not {value!r}")
        if option == "output" and file == DASH:
            raise InvalidInput(
                f"--output {value}: - is standard output, which cannot take several arrays: pass a name"
            )
        pairs.append((name, Path(file)))
    return pairs


def _options(arguments: argparse.Namespace, outputs: Sequence[tuple[str, Path]]) -> "Options":
    """Returns how to freeze the model; by default a GraphDef for the nodes that are written."""
    named = arguments.outputs
    changed = arguments.checkpoint or arguments.constant or arguments.assertions
    if not named and changed and arguments.model.suffix.lower() != ".meta":
        named = tuple(name for name, _ in outputs)
    return freeze_options.freeze_options(
        arguments, arguments.tags, arguments.signature, arguments.inputs, named
    )


def _check_frozen(name: Path, path: Path) -> None:
    """Raises InvalidInput if the graph in `path` has variables."""
    from tfcarve.prepare.freeze.frozen_check import variables

    for variable in variables(read.read(path)):
        raise InvalidInput(
            f"{name}: {variable.place()} is a variable ({variable.op}): pass the checkpoint with its value with "
            "--checkpoint"
        )


def run(arguments: argparse.Namespace) -> int:
    """Writes the outputs; TensorFlow must be installed in the Python that runs tfcarve."""
    inputs = _pairs(arguments.input, "input")
    outputs = _pairs(arguments.output, "output")
    for path in (path for _, path in inputs):
        if not path.is_file():
            raise InvalidInput(f"{path}: no such file")
    if not arguments.model.exists():
        raise InvalidInput(f"{arguments.model}: no such file")
    if not full_tensorflow.installed():
        raise InvalidInput(
            f"{full_tensorflow.not_installed()}, or write the .npy files on a machine with TensorFlow"
        )
    feeds = [f"{node}={path.absolute()}" for node, path in inputs]
    words = [*feeds, "--", *(node for node, _ in outputs)]
    with tempfile.TemporaryDirectory(prefix="tfcarve-") as folder:
        if arguments.model.suffix.lower() == _LITE_SUFFIX:
            _run_lite(arguments, folder, words)
        else:
            _run_graph(arguments, folder, words, _options(arguments, outputs))
            for warning in noise.warnings([name for name, _ in outputs], Path(folder)):
                common.warn(warning)
        for number, (_, path) in enumerate(outputs):
            common.output(files.read_bytes(Path(folder, f"{number}.npy")), path)
    return 0


def _run_graph(
    arguments: argparse.Namespace, folder: str, words: Sequence[str], options: "Options"
) -> None:
    """Freezes the model if necessary and runs its graph; writes the arrays to `folder`."""
    from tfcarve.prepare.freeze.source import require_signatures
    from tfcarve.prepare.source import frozen_source

    require_signatures(arguments.model, options)
    with frozen_source(arguments.model, options) as source:
        common.notes(source.notes)
        _check_frozen(arguments.model, source.path)
        path = source.path.absolute()
        _run(_RUN, arguments.model, path, folder, words)
        noise.run_again(_RUN, path, Path(folder), words)


def _run_lite(arguments: argparse.Namespace, folder: str, words: Sequence[str]) -> None:
    """Runs a TensorFlow Lite model; writes the arrays to `folder`."""
    for option in _GRAPH_OPTIONS:
        if getattr(arguments, option):
            raise InvalidInput(
                f"{arguments.model}: --{option.replace('_', '-')} is for models that are frozen, not for TensorFlow Lite's: "
                "remove it"
            )
    read.read(arguments.model)
    path = arguments.model.absolute()
    _run(_LITE_RUN, arguments.model, path, folder, [arguments.signature or "", *words])


def _run(program: str, name: Path, model: Path, folder: str, words: Sequence[str]) -> None:
    """Runs one of the programs with the file `model`, the folder and further words."""
    limits = full_tensorflow.Limits.of_model(model.stat().st_size)
    what = "TensorFlow Lite" if program == _LITE_RUN else "TensorFlow"
    try:
        full_tensorflow.run(program, [model, folder, *words], folder, limits)
    except full_tensorflow.Failed as failed:
        if failed.status == _ARRAYS_FAILED:
            raise InvalidInput(f"{name}: {failed}") from None
        raise InvalidInput(
            f"{name}: full {what} does not run it: {str(failed) or 'no message'}"
        ) from None
