"""`tfcarve calibrate`: measures the value ranges and channel means of a model's tensors on samples."""

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from tfcarve import files, progress
from tfcarve.commands import freeze_options, prepare_options
from tfcarve.commands.options import add_output
from tfcarve.errors import InvalidInput

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from tfcarve.prepare.calibrate.calibration import Choice
    from tfcarve.prepare.calibrate.session import Session
    from tfcarve.prepare.graph.graph import Graph
    from tfcarve.prepare.pipeline.transform_list import Step

NAME = "calibrate"
HELP = "runs a model on samples and measures the ranges and means that quantization needs"

_PERCENTILE = 99.99


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declares the arguments."""
    parser.add_argument(
        "model", type=Path, metavar="MODEL", help="a GraphDef, or a model, which is frozen first"
    )
    parser.add_argument(
        "--data",
        type=Path,
        metavar="FILE.npz",
        action="append",
        required=True,
        help="an array for each input, by name; an array with one more dimension than the input has several samples; "
        "may be repeated",
    )
    add_output(parser, "ranges.json", required=True)
    parser.add_argument(
        "--method",
        choices=("minmax", "percentile", "entropy"),
        default="minmax",
        help="minmax: the minimum and maximum values; percentile: without the outliers at each end; entropy: the range "
        "that loses the least information (default: %(default)s)",
    )
    parser.add_argument(
        "--percentile",
        type=float,
        metavar="P",
        help=f"for --method percentile: the percent of the values that each end keeps (default: {_PERCENTILE})",
    )
    parser.add_argument(
        "--library",
        type=Path,
        metavar="FILE.so",
        help="a carved library for this machine, which runs the samples; requires full TensorFlow, too (default: full "
        "TensorFlow runs them)",
    )
    parser.add_argument(
        "--as-is",
        action="store_true",
        help="calibrates the model unchanged, for custom transform lists; a quantized model is always calibrated "
        "unchanged (default: the model is first transformed as the preset int8 does)",
    )
    prepare_options.add_ends(parser)
    freeze_options.add_graph(parser)
    freeze_options.add_freeze(parser)


def _choice(arguments: argparse.Namespace) -> "Choice":
    from tfcarve.prepare.calibrate.calibration import Choice

    percent = _PERCENTILE if arguments.percentile is None else arguments.percentile
    if arguments.percentile is not None and arguments.method != "percentile":
        raise InvalidInput("--percentile requires --method percentile")
    if not 50 <= percent <= 100:
        raise InvalidInput(f"--percentile {percent:g}: expected a number from 50 to 100")
    return Choice(arguments.method, percent)


def _steps(graph: "Graph", as_is: bool) -> "list[Step]":
    from tfcarve.prepare.calibrate.wanted import RANGE_OP
    from tfcarve.prepare.pipeline import presets

    is_quantized = any(node.op == RANGE_OP for node in graph.nodes)
    return [] if as_is or is_quantized else presets.before_quantize_nodes()


def _open_session(
    library: Path | None, size: int, op_libraries: "Sequence[str]"
) -> "Callable[[Graph], Session]":
    from tfcarve.objfile import executable
    from tfcarve.prepare.calibrate.carved_session import CarvedSession
    from tfcarve.prepare.calibrate.session import FullSession

    if library is None:
        return lambda graph: FullSession(graph, size, op_libraries)
    kind = executable.identify(files.read_bytes(library), str(library))
    if kind.is_program or kind.cpu != executable.host_cpu():
        raise InvalidInput(
            f"{library}: a {'program' if kind.is_program else 'library'} for {kind.cpu}: "
            "expected a carved library for this machine"
        )
    return lambda graph: CarvedSession(graph, library)


def run(arguments: argparse.Namespace) -> int:
    """Writes the ranges, and prints the numbers of ranges and samples."""
    prepare_options.require_packages()
    from tfcarve.commands import common
    from tfcarve.models.node_names import meant
    from tfcarve.prepare.calibrate import heap
    from tfcarve.prepare.calibrate.calibration import calibrate
    from tfcarve.prepare.compare.npz import read_arrays
    from tfcarve.prepare.context import Context, Parameters
    from tfcarve.prepare.evaluate.evaluator import Evaluator
    from tfcarve.prepare.freeze import source
    from tfcarve.prepare.graph.digest import digest
    from tfcarve.prepare.pipeline import pipeline
    from tfcarve.prepare.source import read_source, source_size
    from tfcarve.releases import known

    choice = _choice(arguments)
    options = freeze_options.freeze_options(
        arguments, arguments.tags, arguments.signature, arguments.inputs, arguments.outputs
    )
    source.require_signatures(arguments.model, options)
    heap.release_freed_memory()
    size = source_size(arguments.model)
    open_session = _open_session(arguments.library, size, options.op_libraries)
    with progress.shown() as show, Evaluator(size, options.op_libraries) as evaluator:
        graph, frozen = read_source(arguments.model, known.release(), options)
        common.notes(frozen.notes)
        inputs, outputs = prepare_options.ends(graph, frozen, arguments.model)
        sha256 = digest(graph)
        nodes = {node.name for node in graph.nodes}
        data = (
            (
                str(path),
                {meant(n, nodes, frozen.input_nodes): a for n, a in read_arrays(path).items()},
            )
            for path in arguments.data
        )
        try:
            steps = _steps(graph, arguments.as_is)
            graph = pipeline.transform(graph, steps, inputs, outputs, evaluator, show)
            context = Context(tuple(inputs), tuple(outputs), Parameters(NAME), evaluator)
            found = calibrate(graph, context, open_session, data, choice, sha256, show)
        except InvalidInput as error:
            named = str(error).startswith(tuple(map(str, (arguments.model, *arguments.data))))
            raise (error if named else InvalidInput(f"{arguments.model}: {error}")) from None
    files.write_if_changed(arguments.output, found.to_json())
    plural = "" if found.samples == 1 else "s"
    print(f"{len(found.ranges):,} ranges from {found.samples:,} sample{plural}")
    return 0
