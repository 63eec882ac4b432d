"""`tfcarve golden`: the outputs of full TensorFlow for a model, for tf_model_test."""

import argparse
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from tfcarve import files, full_tensorflow
from tfcarve.commands import common, freeze_options, prepare_options
from tfcarve.commands.options import DASH, output_folder
from tfcarve.errors import InvalidInput
from tfcarve.models import other_formats, read
from tfcarve.models.node_names import meant
from tfcarve.newer import data as newer_data
from tfcarve.newer import model as newer_model
from tfcarve.op_library import with_advice
from tfcarve.proof import noise
from tfcarve.releases import known
from tfcarve.releases.release import Release
from tfcarve.validity.tables import unready_tables

if TYPE_CHECKING:
    from tfcarve.models.node_use import Model
    from tfcarve.prepare.freeze.request import Options

NAME = "golden"
HELP = "runs a model with full TensorFlow and writes its outputs, which tf_model_test expects"

_RUN = "tfcarve.proof.golden_run"
_LITE_RUN = "tfcarve.proof.lite_golden_run"
# Their exit status if a .npy file cannot be read or written.
_ARRAYS_FAILED = 2
_LITE_SUFFIX = ".tflite"
# The options of freezing, which do not apply to a TensorFlow Lite model.
_GRAPH_OPTIONS = (
    *("tags", "inputs", "outputs", "checkpoint"),
    *("moving_averages", "lower_control_flow", "unroll", "op_library", "constant", "assertions"),
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
            metavar="NAME=FILE.npy",
            help=f"{what}; may be repeated",
        )
    parser.add_argument(
        "--sample",
        type=output_folder,
        metavar="DIR",
        help="instead of --input and --output: writes a value for each Placeholder of a frozen graph, each of its outputs, and "
        "sample.json, which lists them",
    )
    parser.add_argument(
        "--data",
        type=Path,
        metavar="FILE.npz",
        help="with --sample: an array for each Placeholder, by name; of several samples the first (default: random values, the same "
        "on each run)",
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


def _options(arguments: argparse.Namespace, outputs: Sequence[str]) -> "Options":
    """Returns the options of freezing. By default a GraphDef is frozen for the nodes that are written."""
    named = arguments.outputs
    changed = arguments.checkpoint or arguments.constant or arguments.assertions
    if not named and changed and arguments.model.suffix.lower() != ".meta":
        named = tuple(outputs)
    return freeze_options.freeze_options(
        arguments, arguments.tags, arguments.signature, arguments.inputs, named
    )


def _check_frozen(name: Path, model: "Model") -> None:
    """Raises InvalidInput if a graph has variables."""
    from tfcarve.prepare.freeze.frozen_check import variables

    for variable in variables(model):
        raise InvalidInput(
            f"{name}: {variable.place()} is a variable ({variable.op}): pass the checkpoint with its value with "
            "--checkpoint"
        )


def _check_release(name: Path, model: "Model", release: Release) -> None:
    """Raises InvalidInput if the TensorFlow that is built computes other outputs; prints notes about ops that it does not have."""
    try:
        common.notes(newer_model.checked(model, newer_data.load(release)))
    except InvalidInput as error:
        raise InvalidInput(f"{name}: {error}") from None


def run(arguments: argparse.Namespace) -> int:
    """Writes the outputs; TensorFlow must be installed in the Python that runs tfcarve."""
    if arguments.sample:
        return _write_sample(arguments)
    if not arguments.output or arguments.data:
        raise InvalidInput("pass --output NAME=FILE.npy, or --sample DIR, which --data belongs to")
    inputs = _pairs(arguments.input, "input")
    outputs = _pairs(arguments.output, "output")
    for path in (path for _, path in inputs):
        if not path.is_file():
            raise InvalidInput(f"{path}: no such file")
        other_formats.require_no_lfs_pointer(path)
    if not arguments.model.exists():
        raise InvalidInput(f"{arguments.model}: no such file")
    if not full_tensorflow.installed():
        raise InvalidInput(
            f"{full_tensorflow.not_installed()}, or write the .npy files on a machine with TensorFlow"
        )
    fed = {name: path.absolute() for name, path in inputs}
    output_names = [name for name, _ in outputs]
    release = known.release()
    with tempfile.TemporaryDirectory(prefix="tfcarve-") as folder:
        if arguments.model.suffix.lower() == _LITE_SUFFIX:
            _run_lite(arguments, release, folder, _words(fed, output_names))
        else:
            _run_graph(arguments, release, folder, fed, output_names)
            for warning in noise.warnings(output_names, Path(folder)):
                common.warn(warning)
        for number, (_, path) in enumerate(outputs):
            common.output(files.read_bytes(Path(folder, f"{number}.npy")), path)
    return 0


def _write_sample(arguments: argparse.Namespace) -> int:
    if arguments.input or arguments.output:
        raise InvalidInput("pass either --sample, or --input and --output")
    prepare_options.require_packages()
    from tfcarve.prepare.compare import golden_sample

    files.require_own(arguments.sample, golden_sample.is_ours)
    files.write_directory(arguments.sample, golden_sample.computed(arguments.model, arguments.data))
    return 0


def _words(inputs: Mapping[str, Path], outputs: Sequence[str]) -> list[str]:
    """Returns the words of the programs' command lines that name the inputs' files and the outputs."""
    return [*(f"{name}={path}" for name, path in inputs.items()), "--", *outputs]


def _run_graph(
    arguments: argparse.Namespace,
    release: Release,
    folder: str,
    inputs: Mapping[str, Path],
    outputs: Sequence[str],
) -> None:
    """Freezes the model if necessary and runs its graph; writes the arrays to `folder`."""
    from tfcarve.prepare.freeze.source import require_signatures
    from tfcarve.prepare.source import frozen_source

    options = _options(arguments, outputs)
    require_signatures(arguments.model, options)
    with frozen_source(arguments.model, release, options) as source:
        common.notes(source.notes)
        model = read.read(source.path)
        _check_frozen(arguments.model, model)
        _check_release(arguments.model, model, release)
        nodes = {use.node for use in model.nodes if not use.function}
        fed = {meant(name, nodes, source.input_nodes): file for name, file in inputs.items()}
        output_nodes = [meant(name, nodes, source.output_nodes) for name in outputs]
        words = [*map("--op-library={}".format, options.op_libraries), *_words(fed, output_nodes)]
        path = source.path.absolute()
        try:
            _run(_RUN, arguments.model, path, folder, words)
        except InvalidInput as error:
            raise InvalidInput(
                f"{error}{_table_advice(arguments.model, model, str(error))}"
            ) from None
        noise.run_again(_RUN, path, Path(folder), words)


def _table_advice(name: Path, model: "Model", error: str) -> str:
    """Returns advice if a lookup table of a graph is not initialized, to be appended to `error`; else ""."""
    from tfcarve.prepare.graph.tables import NOT_INITIALIZED

    if NOT_INITIALIZED in error:
        for table in unready_tables(tuple(model.nodes)):
            return f": {table.what()}; {table.fix(str(name))}"
    return ""


def _run_lite(
    arguments: argparse.Namespace, release: Release, folder: str, words: Sequence[str]
) -> None:
    """Runs a TensorFlow Lite model; writes the arrays to `folder`."""
    for option in _GRAPH_OPTIONS:
        if getattr(arguments, option):
            raise InvalidInput(
                f"{arguments.model}: --{option.replace('_', '-')} is for models that are frozen, not for TensorFlow Lite's: "
                "remove it"
            )
    _check_release(arguments.model, read.read(arguments.model), release)
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
        why = with_advice(str(failed) or "no message")
        raise InvalidInput(f"{name}: full {what} does not run it: {why}") from None
