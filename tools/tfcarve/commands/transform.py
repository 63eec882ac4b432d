"""`tfcarve transform`: applies a list of transforms to a GraphDef."""

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from tfcarve import progress
from tfcarve.commands import freeze_options, prepare_options
from tfcarve.commands.options import add_output
from tfcarve.errors import InternalError, InvalidInput

if TYPE_CHECKING:
    from tfcarve.prepare.graph.graph import Graph
    from tfcarve.prepare.pipeline.transform_list import Step

NAME = "transform"
HELP = "transforms a frozen GraphDef: folds constants and batch norms, strips, renames, fuses"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declares the arguments."""
    parser.add_argument(
        "model", type=Path, metavar="IN", help="a GraphDef, or a model, which is frozen first"
    )
    add_output(
        parser,
        "the transformed GraphDef, in text format if the name ends in .pbtxt or .pb.txt, also IN itself",
        required=True,
    )
    prepare_options.add_ends(parser)
    freeze_options.add_graph(parser)
    freeze_options.add_freeze(parser)
    how = parser.add_mutually_exclusive_group(required=True)
    how.add_argument(
        "--transforms",
        metavar="LIST",
        help="transforms in the syntax of TensorFlow's transform_graph: 'name(parameter=value) name2'",
    )
    how.add_argument(
        "--preset",
        metavar="NAME",
        help="a named list of transforms for float models: mobile; weights8 and weights16, mobile with constants of 8 or 16 "
        "bits; int8, mobile with calculations in 8 bits",
    )
    parser.add_argument(
        "--ranges",
        type=Path,
        metavar="FILE",
        help="for --preset int8 and weights8: the ranges and means that `tfcarve calibrate IN` measured (default: int8 measures ranges in each run; "
        "weights8 does not correct biases)",
    )
    parser.add_argument(
        "--fuse",
        action="store_true",
        help="also fuses the loops of LSTMs, and convolution, bias and activation, into TensorFlow's fused ops; with the "
        "preset int8 only where they are not quantized",
    )


def _steps(arguments: argparse.Namespace) -> "list[Step]":
    from tfcarve.prepare.pipeline import presets, transform_list

    if arguments.preset is not None:
        return presets.preset(arguments.preset, arguments.fuse, arguments.ranges)
    if arguments.ranges is not None:
        raise InvalidInput(
            '--ranges requires --preset int8 or weights8: in a list of transforms write quantize_nodes(ranges="FILE")'
        )
    steps = transform_list.parse(arguments.transforms)
    return [*steps, *presets.FUSE] if arguments.fuse else steps


def _require_same_model(path: Path, graph: "Graph", model: Path) -> None:
    """Raises InvalidInput if the ranges in the file `path` were not measured on the graph of `model`."""
    from tfcarve.prepare.graph.digest import digest
    from tfcarve.prepare.quantize import ranges

    if ranges.read(path).model_sha256 != digest(graph):
        raise InvalidInput(f"{path}: was measured on another model: tfcarve calibrate {model}")


def run(arguments: argparse.Namespace) -> int:
    """Writes the transformed graph and prints nodes and bytes before and after."""
    prepare_options.require_packages()
    from tfcarve.commands import common
    from tfcarve.newer import data as newer_data
    from tfcarve.prepare.calibrate import heap
    from tfcarve.prepare.checks import release_check
    from tfcarve.prepare.evaluate.evaluator import Evaluator, installed
    from tfcarve.prepare.freeze import source
    from tfcarve.prepare.graph import graph_file, tables
    from tfcarve.prepare.pipeline import pipeline, shape_check, transform_inputs
    from tfcarve.prepare.source import read_source, source_size
    from tfcarve.prepare.transforms import load
    from tfcarve.releases import known

    steps = _steps(arguments)
    pipeline.require(steps)
    options = freeze_options.freeze_options(
        arguments, arguments.tags, arguments.signature, arguments.inputs, arguments.outputs
    )
    source.require_signatures(arguments.model, options)
    release = known.release()
    heap.release_freed_memory()
    size = source_size(arguments.model)
    with progress.shown() as show, Evaluator(size, options.op_libraries) as evaluator:
        if installed() or any(load(step.name).NEEDS_TENSORFLOW for step in steps):
            evaluator.begin()  # TensorFlow loads while the graph is read
        graph, frozen = read_source(arguments.model, release, options)
        if arguments.ranges is not None:
            _require_same_model(arguments.ranges, graph, arguments.model)
        count = len(graph.nodes)
        inputs, outputs = prepare_options.ends(graph, frozen, arguments.model)
        before = tables.initializers(graph)
        newer = newer_data.load(release)
        try:
            release_check.require(graph, inputs, outputs, newer)
            is_complete = bool(frozen.inputs)
            graph, notes = transform_inputs.transform(
                graph, steps, inputs, outputs, is_complete, evaluator, show
            )
            shape_check.require_valid_shapes(
                graph,
                lambda: transform_inputs.with_defaults(
                    read_source(arguments.model, release, options)[0],
                    steps,
                    inputs,
                    outputs,
                    is_complete,
                )[0],
                steps,
                inputs,
                outputs,
                evaluator,
            )
            tables.require_initialized(graph, before, outputs, arguments.model)
            _, newer_notes = release_check.finish(graph, newer)
        except (InternalError, InvalidInput) as error:
            raise type(error)(f"{arguments.model}: {error}") from None
    written = graph_file.write_graph(arguments.output, graph)
    common.notes((*frozen.notes, *notes, *newer_notes))
    print(f"{count:,} nodes, {size:,} bytes -> {len(graph.nodes):,} nodes, {written:,} bytes")
    return 0
