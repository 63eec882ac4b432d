"""`tfcarve graph`: draws a model."""

import argparse
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from tfcarve import files, progress
from tfcarve.benchmark import figures as benchmark_figures
from tfcarve.benchmark import report_json
from tfcarve.benchmark.report_json import Document
from tfcarve.commands import model_argument, size_common
from tfcarve.commands.options import not_standard_output, output_folder
from tfcarve.drawing import colours, dot, event_file, model_drawing, names, page, svg
from tfcarve.drawing.colours import MEASURES, Measure
from tfcarve.drawing.figures import Figures, MeasuredNode, Output, figures
from tfcarve.drawing.model_drawing import Drawing
from tfcarve.drawing.without_values import without_values
from tfcarve.errors import InvalidInput
from tfcarve.models.node_use import Model, NodeUse
from tfcarve.models.wire import WireError
from tfcarve.nearest import suggestion
from tfcarve.printable import printable
from tfcarve.releases import known
from tfcarve.releases.release import Release
from tfcarve.validity import op_types

NAME = "graph"
HELP = "draws a model: name scopes as boxes, coloured by op class, bytes or time"

_SUFFIXES = (".svg", ".dot", ".html")


def _depth(text: str) -> int:
    if not (text.isascii() and text.isdecimal() and 1 <= int(text[:9]) <= names.MAX_DEPTH):
        raise argparse.ArgumentTypeError(
            f"expected a number from 1 to {names.MAX_DEPTH}, not {text!r}"
        )
    return int(text)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declares the arguments."""
    parser.add_argument(
        "model",
        type=Path,
        metavar="MODEL",
        help="a GraphDef, SavedModel, MetaGraphDef or Keras file",
    )
    parser.add_argument(
        "-o",
        "--output",
        type=not_standard_output("the suffix of the name selects the format"),
        metavar="FILE",
        help="where to draw it: .svg, .html (a page with details of each box) or .dot (Graphviz's language); .svg and "
        ".html require Graphviz",
    )
    parser.add_argument(
        "--tensorboard",
        type=output_folder,
        metavar="DIR",
        help="writes an event file with the graph for TensorBoard into this folder",
    )
    parser.add_argument(
        "--depth",
        type=_depth,
        metavar="N",
        help="the number of levels of name scopes to draw; 1: only the outermost scopes (default: as many as are readable)",
    )
    parser.add_argument(
        "--scope",
        default="",
        metavar="NAME",
        help="draws only this name scope, and the boxes that it is connected to",
    )
    parser.add_argument(
        "--function",
        default="",
        metavar="NAME",
        help="draws the body of this function of the model",
    )
    parser.add_argument(
        "--size", type=Path, metavar="REPORT", help="the size report of a library for the model"
    )
    parser.add_argument(
        "--time",
        type=Path,
        metavar="REPORT",
        help="a benchmark of the model: tfcarve benchmark --json",
    )
    parser.add_argument(
        "--by",
        choices=MEASURES,
        help="the measure that colours the boxes: op class, bytes of constants and variables, bytes of the library that only "
        "their ops need, or time (default: time with --time, library with --size, else op)",
    )
    model_argument.add_options(parser)


@dataclass(frozen=True, slots=True)
class _Body(Iterable[NodeUse]):
    """The nodes of a model's graph, or of its function `function`; they are decoded on each iteration."""

    model: Model
    function: str

    def __iter__(self) -> Iterator[NodeUse]:
        return (use for use in self.model.nodes if use.function == self.function)


def _require_one_graph(model: Model) -> None:
    """Raises InvalidInput if a model is not one TensorFlow graph."""
    if not model.graphs:
        raise InvalidInput(
            f"{model.path}: has no TensorFlow graph to draw: pass a GraphDef, SavedModel or Keras file; "
            "Netron shows .tflite files"
        )
    if len(model.graphs) > 1:
        raise InvalidInput(f"{model.path}: has {len(model.graphs)} graphs: choose one with --tags")


def _uses(model: Model, function: str) -> Iterable[NodeUse]:
    """Returns the nodes of the graph, or of one of its functions."""
    if function and function not in model.functions:
        hint = suggestion(function, sorted(model.functions))
        raise InvalidInput(
            f"{model.path}: has no function {function!r}" + (f": {hint}" if hint else "")
        )
    found = _Body(model, function)
    if next(iter(found), None) is None:
        where = f"function {function!r}" if function else "graph"
        raise InvalidInput(f"{model.path}: its {where} has no nodes: there is nothing to draw")
    return found


def measured_nodes(document: Document, where: str) -> list[MeasuredNode]:
    """Returns the nodes of a benchmark; raises InvalidInput if they have no times.

    Args:
      document: the benchmark.
      where: its file, for messages.
    """
    nodes = []
    for node in document.nodes:
        if node.ms is None:
            raise InvalidInput(
                f"{where}: has no times, because it was counted under qemu: measure on a device with "
                "benchmark_model, and pass its figures through tfcarve benchmark --figures --json"
            )
        outputs = tuple(Output(output.dtype, output.dims) for output in node.outputs)
        nodes.append(MeasuredNode(node.name, node.ms, outputs))
    return nodes


def _figures(arguments: argparse.Namespace, drawing: Drawing, model: Model) -> Figures:
    sizes = size_common.load_report(arguments.size) if arguments.size else None
    path: Path | None = arguments.time
    if path is None:
        return figures(drawing, sizes, None)
    document = report_json.parse(files.read_bytes(path), str(path))
    benchmark_figures.check(document, str(path), model.nodes, model.path)
    return figures(drawing, sizes, measured_nodes(document, str(path)))


def _measure(arguments: argparse.Namespace) -> Measure:
    """Returns the measure that colours the boxes; raises InvalidInput if the report that it needs is not given."""
    by: Measure | None = arguments.by
    for measure, option in (("time", "time"), ("library", "size")):
        if by == measure and getattr(arguments, option) is None:
            raise InvalidInput(f"--by {by} requires --{option} REPORT")
    if by is not None:
        return by
    return "time" if arguments.time else "library" if arguments.size else "op"


def _draw(arguments: argparse.Namespace, model: Model, release: Release) -> str:
    """Writes the drawing; returns a line about it."""
    output: Path = arguments.output
    scope = arguments.scope.rstrip("/") + "/" if arguments.scope else ""
    measure = _measure(arguments)
    uses = _uses(model, arguments.function)
    with progress.shown() as show:
        show("reading the graph", 0, 2)
        try:
            types = op_types.of_model(model, release)
            drawing = model_drawing.drawing(uses, scope, arguments.depth, types)
        except InvalidInput as error:
            raise InvalidInput(f"{model.path}: {error}") from None
        found = _figures(arguments, drawing, model)
        text = dot.dot(drawing, found, colours.fills(measure, drawing, found) or {})
        data = text.encode()
        if output.suffix != ".dot":
            show("laying out the graph", 1, 2)
            drawn = svg.svg(drawing, text)
            data = drawn.encode()
            if output.suffix == ".html":
                data = page.page(model.path, drawing, found, drawn, measure)
    files.write_if_changed(output, data)
    nodes = sum(box.nodes for box in drawing.boxes.values())
    return f"{output}: {nodes:,} nodes in {len(drawing.boxes):,} boxes, depth {drawing.depth}"


def _tensorboard(folder: Path, model: Model) -> str:
    """Writes the event file; returns a line about it."""
    try:
        graph = without_values(*model.graphs[0])
    except WireError as error:
        raise InvalidInput(f"{model.path}: {error}") from None
    file = folder / event_file.NAME
    files.write_pieces(file, event_file.event_file(graph))
    return f"{file}: to show it: tensorboard --logdir {folder}"


def run(arguments: argparse.Namespace) -> int:
    """Draws the model, writes the event file, or both."""
    output: Path | None = arguments.output
    if output is None and arguments.tensorboard is None:
        raise InvalidInput("pass -o FILE or --tensorboard DIR: there is nothing to write")
    if output is not None and output.suffix not in _SUFFIXES:
        raise InvalidInput(f"{output}: expected a name that ends in {', '.join(_SUFFIXES)}")
    release = known.release()
    model = model_argument.read(arguments.model, release, arguments).model
    _require_one_graph(model)
    done = []
    if output is not None:
        done.append(_draw(arguments, model, release))
    if arguments.tensorboard is not None:
        done.append(_tensorboard(arguments.tensorboard, model))
    for line in done:
        print(printable(line))
    return 0
