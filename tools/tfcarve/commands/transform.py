"""`tfcarve transform`: applies a list of transforms to a GraphDef."""

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from tfcarve import progress
from tfcarve.commands import freeze_options, preparing
from tfcarve.errors import InvalidInput

if TYPE_CHECKING:
    from tfcarve.prepare.graph import Graph
    from tfcarve.prepare.source import Source
    from tfcarve.prepare.transform_list import Step

NAME = "transform"
HELP = "transforms a frozen GraphDef: folds constants and batch norms, strips, renames, fuses"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declares the arguments."""
    parser.add_argument(
        "model", type=Path, metavar="IN", help="a GraphDef, or a model, which is frozen first"
    )
    parser.add_argument(
        "-o",
        "--output",
        type=Path,
        metavar="OUT",
        required=True,
        help="the transformed GraphDef, in text format if the name ends in .pbtxt; may be IN itself",
    )
    preparing.add_ends(parser)
    freeze_options.add_graph(parser)
    freeze_options.add_freeze(parser)
    how = parser.add_mutually_exclusive_group(required=True)
    how.add_argument(
        "--transforms",
        metavar="LIST",
        help="transforms in the syntax of TensorFlow's transform_graph: 'name(parameter=value) name2'",
    )
    how.add_argument(
        "--preset", metavar="NAME", help="a named list of transforms: mobile, for any float model"
    )
    parser.add_argument(
        "--fuse",
        action="store_true",
        help="afterwards fuses the loops of LSTMs, and convolution, bias and activation, into TensorFlow's fused ops",
    )


def _steps(arguments: argparse.Namespace) -> "list[Step]":
    from tfcarve.prepare import presets, transform_list

    if arguments.preset is not None:
        steps = presets.preset(arguments.preset)
    else:
        steps = transform_list.parse(arguments.transforms)
    return [*steps, *presets.FUSE] if arguments.fuse else steps


def _ends(graph: "Graph", source: "Source", model: Path) -> tuple[list[str], list[str]]:
    from tfcarve.prepare import endpoints

    inputs = list(source.inputs) or endpoints.inputs(graph)
    outputs = list(source.outputs) or endpoints.outputs(graph)
    if not outputs:
        raise InvalidInput(f"{model}: every node is read by another: pass --outputs")
    return inputs, outputs


def run(arguments: argparse.Namespace) -> int:
    """Writes the transformed graph and prints nodes and bytes before and after."""
    preparing.require_packages()
    from tfcarve.prepare import graph_file, heap, pipeline
    from tfcarve.prepare.evaluate import Evaluator
    from tfcarve.prepare.freeze import source
    from tfcarve.prepare.source import read_source, source_size
    from tfcarve.prepare.transforms import WITHOUT_TENSORFLOW

    steps = _steps(arguments)
    pipeline.require(steps)
    options = freeze_options.freeze_options(
        arguments, arguments.tags, arguments.signature, arguments.inputs, arguments.outputs
    )
    source.require_signatures(arguments.model, options)
    heap.release_freed_memory()
    size = source_size(arguments.model)
    with progress.shown() as show, Evaluator(size) as evaluator:
        if not {step.name for step in steps} <= WITHOUT_TENSORFLOW:
            evaluator.begin()  # TensorFlow loads while the graph is read
        graph, frozen = read_source(arguments.model, options)
        count = len(graph.nodes)
        inputs, outputs = _ends(graph, frozen, arguments.model)
        try:
            graph = pipeline.transform(graph, steps, inputs, outputs, evaluator, show)
        except InvalidInput as error:
            raise InvalidInput(f"{arguments.model}: {error}") from None
    graph_file.write_graph(arguments.output, graph)
    written = arguments.output.stat().st_size
    print(f"{count:,} nodes, {size:,} bytes -> {len(graph.nodes):,} nodes, {written:,} bytes")
    return 0
